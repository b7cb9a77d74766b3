import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { Pet } from "../../client/index.ts";
import { adviceFor } from "../api/errors.ts";
import { animalsChanged } from "../api/queries.ts";
import { mayPass, Submission } from "../api/submission.ts";
import { counted, grouped } from "../parts/counted.ts";
import { type News, type Undo, useTell } from "../parts/toast.tsx";
import { eachOfMany } from "./each-of-many.ts";
import { type Change, undo, undoMs } from "./undo.ts";

/** Tells what was done to animals, and offers to undo it. */
export function useTellChanges(): (text: string, changes: readonly Change[]) => void {
  const queries = useQueryClient();
  const tell = useTell();
  return useCallback(
    (text, changes) => {
      const all = changes.map((change) => ({ change, submission: new Submission() }));
      tell(offer(queries, text, all));
    },
    [queries, tell],
  );
}

/** A change, and what its undoing is sent as. */
interface Undoing {
  readonly change: Change;
  readonly submission: Submission;
}

/** After a failure that may pass, what is left is offered again. */
function offer(queries: QueryClient, text: string, all: readonly Undoing[]): News {
  if (all.length === 0) return { text };
  const run: Undo["run"] = async (store, tell) => {
    const results: PromiseSettledResult<Pet>[] = [];
    await eachOfMany(all, async ({ change, submission }, index) => {
      [results[index]] = await Promise.allSettled([undo(store, change, submission)]);
    });
    const left = all.filter((_, index) => {
      const result = results[index];
      return result?.status === "rejected" && mayPass(result.reason);
    });
    const news = describe(
      all.map(({ change }) => change),
      results,
    );
    tell(offer(queries, news, left));
    await animalsChanged(queries);
  };
  return { text, undo: { run, ms: undoMs } };
}

function describe(changes: readonly Change[], results: readonly PromiseSettledResult<{ id: number }>[]): string {
  const [change] = changes;
  const [result] = results;
  if (changes.length === 1 && change && result) {
    if (result.status === "rejected") return `${change.before.name} could not be restored. ${adviceFor(result.reason)}`;
    return change.after
      ? `${change.before.name} is as it was.`
      : `${change.before.name} is back, as animal ${result.value.id}: numbers are never reused.`;
  }
  const failed = results.filter(({ status }) => status === "rejected").length;
  if (failed > 0) {
    const restored = counted(results.length - failed, "animal is as it was", "animals are as they were");
    return `${restored}; ${grouped(failed)} could not be restored.`;
  }
  const isNew = changes.every(({ after }) => !after);
  return isNew
    ? `${grouped(results.length)} animals are back, with new numbers.`
    : `${grouped(results.length)} animals are as they were.`;
}
