import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { adviceFor } from "../api/errors.ts";
import { animalsChanged } from "../api/queries.ts";
import { counted, grouped } from "../parts/counted.ts";
import { useTell } from "../parts/toast.tsx";
import { useStore } from "../session/session.tsx";
import { type Change, undo, undoMs } from "./undo.ts";

/** Tells what was done to animals, and offers to undo it. */
export function useTellChanges(): (text: string, changes: readonly Change[]) => void {
  const store = useStore();
  const queries = useQueryClient();
  const tell = useTell();
  return useCallback(
    (text, changes) => {
      const run = async () => {
        const results = await Promise.allSettled(changes.map((change) => undo(store, change)));
        await animalsChanged(queries);
        tell({ text: describe(changes, results) });
      };
      tell({ text, action: { title: "Undo", run }, actionMs: undoMs });
    },
    [store, queries, tell],
  );
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
