import { useAction, useIdempotencyKeys } from "../api/action.ts";
import { invalidateAnimals, queryKeys, useHasScope, useTools } from "../api/queries.ts";
import { changeParameters } from "../parts/address.tsx";
import { Button } from "../parts/controls.tsx";
import { Empty, Failure } from "../parts/view.tsx";
import { readOnlyHintId } from "../session/permission.tsx";
import { sampleAnimals, sampleCategories } from "./sample-animals.ts";

type SampleAnimals = ReturnType<typeof useSampleAnimals>;

export function NoAnimals({ samples, onImport }: { samples: SampleAnimals; onImport?: () => void }) {
  const canWrite = useHasScope("write");
  return (
    <Empty title="No animals yet" icon="animals">
      {canWrite && (
        <>
          <p>
            Add the first one, {onImport && "paste or import a list from a spreadsheet, "}or explore with sample
            animals.
          </p>
          <div className="actions">
            <Button className="primary" onClick={openForm}>
              Add an animal
            </Button>
            {onImport && <Button onClick={onImport}>Import a CSV file</Button>}
            <Button disabled={samples.isPending} onClick={() => samples.run()}>
              Load sample animals
            </Button>
          </div>
        </>
      )}
    </Empty>
  );
}

export function SampleProgress({ samples }: { samples: SampleAnimals }) {
  return (
    <>
      {samples.isPending && <p role="status">Loading sample animals</p>}
      <Failure error={samples.error} onRetry={() => samples.run()} />
    </>
  );
}

/** Returns the action that adds sample animals. A retry after a failure adds only the missing animals. */
export function useSampleAnimals() {
  const { store, notify, queries } = useTools();
  const idempotencyKeys = useIdempotencyKeys();
  return useAction({
    async mutationFn() {
      for (const [index, name] of sampleCategories.entries()) {
        // Keeps the existing names of categories.
        await store.categories.put(index + 1, { name }, { ifNoneMatch: "*" }).catch(() => {});
      }
      for (const [index, pet] of sampleAnimals.entries()) {
        await store.pets.create(pet, idempotencyKeys.createOptions([index, pet]));
      }
    },
    onSuccess() {
      idempotencyKeys.recordOutcome(sampleAnimals, null);
      notify({ text: `Added ${sampleAnimals.length} sample animals.` });
    },
    async onSettled() {
      await Promise.all([queries.invalidateQueries({ queryKey: queryKeys.categories }), invalidateAnimals(queries)]);
    },
  });
}

export function AddAnimalButton() {
  const readOnlyProps = useHasScope("write") ? {} : { disabled: true, "aria-describedby": readOnlyHintId };
  return (
    <Button className="primary" {...readOnlyProps} onClick={openForm} icon="plus">
      Add an animal
    </Button>
  );
}

function openForm(): void {
  changeParameters({ add: "animal" });
}
