import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { type PetChanges, petTransitions } from "../domain/pet.ts";
import { StatusField } from "./add-animal.tsx";
import { ApiError, type Order, type Pet, type Tagged } from "./api.ts";
import { CategoryField } from "./category-field.tsx";
import { Confirmation, Dialog, Failure, Field, Loading } from "./parts.tsx";
import { animalsChanged, names } from "./queries.ts";
import { complaintAbout, integerIn, rules } from "./rules.ts";
import { useApi } from "./session.tsx";
import { useSubmission } from "./submission.ts";

/** One animal: to look at, to change, to reserve, to delete. */
export function AnimalDialog({
  id,
  onNews,
  onClose,
}: {
  id: string;
  onNews: (news: string) => void;
  onClose: () => void;
}) {
  const api = useApi();
  const number = integerIn(id);
  const animal = useQuery({
    queryKey: names.animal(id),
    enabled: number !== undefined,
    queryFn: () => api.getPet(number ?? 0),
  });
  const order = useQuery({
    queryKey: [...names.orders, "of", id],
    enabled: animal.data?.value.status === "pending",
    queryFn: async () => (await api.listOrders({ petId: Number(number), status: "placed" })).items[0] ?? null,
  });
  const isGone = number === undefined || ApiError.is(animal.error, "NotFound");
  return (
    <Dialog title={`Animal ${id}`} onClose={onClose}>
      {isGone && (
        <>
          <p>No animal has the number {id}. It may have been deleted.</p>
          <footer>
            <button type="button" onClick={onClose}>
              Back to the catalogue
            </button>
          </footer>
        </>
      )}
      {!isGone && animal.isPending && <Loading what="the animal" />}
      {!isGone && <Failure error={animal.data ? undefined : animal.error} onRetry={() => animal.refetch()} />}
      {animal.data && !isGone && (
        <AnimalForm key={id} read={animal.data} order={order.data ?? undefined} onNews={onNews} onClose={onClose} />
      )}
    </Dialog>
  );
}

function AnimalForm({
  read,
  order,
  onNews,
  onClose,
}: {
  read: Tagged<Pet>;
  order: Order | undefined;
  onNews: (news: string) => void;
  onClose: () => void;
}) {
  const api = useApi();
  const queries = useQueryClient();
  /** What the changes are made to: the animal as it was when it was opened, or when a conflict was settled. */
  const [base, setBase] = useState(read);
  const [draft, setDraft] = useState(() => draftOf(read.value));
  const [theirs, setTheirs] = useState<Tagged<Pet>>();
  const [isDeleting, setDeleting] = useState(false);
  const pet = base.value;
  const complaints = {
    name: complaintAbout("name", rules.pet["name"], draft.name),
    categoryId: complaintAbout("categoryId", rules.pet["categoryId"], draft.categoryId),
  };
  const changes = changesOf(pet, draft);
  const isChanged = Object.keys(changes).length > 0;

  const save = useMutation({
    mutationFn: () => api.updatePet(base, changes),
    onSuccess(saved) {
      animalsChanged(queries);
      onNews(`Saved ${saved.value.name}.`);
      onClose();
    },
    onError: (error) => showConflict(error),
  });
  const remove = useMutation({
    mutationFn: () => api.deletePet(base),
    onSuccess() {
      queries.removeQueries({ queryKey: names.animal(String(pet.id)) });
      animalsChanged(queries);
      onNews(`Deleted ${pet.name}.`);
      onClose();
    },
    onError: (error) => showConflict(error),
  });

  const showConflict = async (error: Error) => {
    if (!ApiError.is(error, "PreconditionFailed")) return;
    setDeleting(false);
    setTheirs(await api.getPet(pet.id).catch(() => undefined));
  };
  const settle = (taken: Tagged<Pet>, whose: "theirs" | "mine") => {
    setBase(taken);
    if (whose === "theirs") setDraft(draftOf(taken.value));
    setTheirs(undefined);
    save.reset();
    remove.reset();
    animalsChanged(queries);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged && !complaints.name && !complaints.categoryId && !save.isPending) save.mutate();
  };
  const refused = save.error instanceof ApiError ? save.error.fields : {};
  return (
    <>
      <form onSubmit={submit} noValidate>
        {theirs && <Conflict mine={draft} theirs={theirs} onSettle={(whose) => settle(theirs, whose)} />}
        <Field label="Name" complaint={complaints.name ?? refused["name"]}>
          {(attributes) => (
            <input
              {...attributes}
              dir="auto"
              autoComplete="off"
              value={draft.name}
              onChange={(event) => setDraft({ ...draft, name: event.target.value })}
            />
          )}
        </Field>
        <CategoryField
          label="Category"
          value={draft.categoryId}
          complaint={complaints.categoryId ?? refused["categoryId"]}
          onChange={(categoryId) => setDraft({ ...draft, categoryId })}
        />
        <StatusField
          value={draft.status}
          options={[pet.status, ...petTransitions[pet.status]]}
          isFixed={order !== undefined}
          hint={order ? `Order ${order.id} decides on it.` : ""}
          complaint={refused["status"]}
          onChange={(status) => setDraft({ ...draft, status })}
        />
        <OrderActions pet={pet} order={order} onNews={onNews} onClose={onClose} />
        {!theirs && <Failure error={Object.keys(refused).length > 0 ? undefined : save.error} />}
        <footer>
          <button type="button" className="danger quiet" onClick={() => setDeleting(true)}>
            Delete
          </button>
          <span className="space" />
          <button type="button" onClick={onClose}>
            Close
          </button>
          <button type="submit" className="primary" disabled={!isChanged || save.isPending || theirs !== undefined}>
            {save.isPending ? "Saving" : "Save"}
          </button>
        </footer>
      </form>
      {isDeleting && (
        <Confirmation
          title="Delete this animal?"
          question={
            <>
              <bdi>{pet.name}</bdi>, animal {pet.id}, will be gone for good. Its number is never given again.
            </>
          }
          action="Delete"
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => {
            setDeleting(false);
            remove.reset();
          }}
        />
      )}
    </>
  );
}

interface Draft {
  readonly name: string;
  readonly categoryId: string;
  readonly status: Pet["status"];
}

function draftOf({ name, categoryId, status }: Pet): Draft {
  return { name, categoryId: String(categoryId), status };
}

/** Only what is different is sent, so that nobody's change of something else is undone. */
function changesOf(pet: Pet, { name, categoryId, status }: Draft): PetChanges {
  const number = integerIn(categoryId);
  return {
    ...(name !== pet.name && { name }),
    ...(number !== undefined && number !== pet.categoryId && { categoryId: number }),
    ...(status !== pet.status && { status }),
  };
}

/** Somebody else was faster: shows both, and overwrites nothing by itself. */
function Conflict({
  mine,
  theirs,
  onSettle,
}: {
  mine: Draft;
  theirs: Tagged<Pet>;
  onSettle: (whose: "theirs" | "mine") => void;
}) {
  const now = draftOf(theirs.value);
  const fields = (["name", "categoryId", "status"] as const).filter((field) => now[field] !== mine[field]);
  return (
    <div className="notice conflict" role="alert">
      <p>Somebody else has changed this animal since you opened it. Nothing of yours was saved yet.</p>
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Now</th>
            <th scope="col">Yours</th>
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => (
            <tr key={field}>
              <th scope="row">{field}</th>
              <td dir="auto">{now[field]}</td>
              <td dir="auto">{mine[field]}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="actions">
        <button type="button" onClick={() => onSettle("theirs")}>
          Take what is there now
        </button>
        <button type="button" onClick={() => onSettle("mine")}>
          Keep mine, to save it over that
        </button>
      </div>
    </div>
  );
}

/** Reserving an available animal, and what becomes of its reservation. */
function OrderActions({
  pet,
  order,
  onNews,
  onClose,
}: {
  pet: Pet;
  order: Order | undefined;
  onNews: (news: string) => void;
  onClose: () => void;
}) {
  const api = useApi();
  const queries = useQueryClient();
  const submission = useSubmission();
  const act = useMutation({
    mutationFn: (how: "place" | "complete" | "cancel") => {
      const name = submission.nameFor(how);
      return how === "place" || !order ? api.placeOrder(pet.id, name) : api.endOrder(order.id, how, name);
    },
    onSuccess({ id, status }) {
      submission.succeeded();
      animalsChanged(queries);
      onNews(status === "placed" ? `Reserved ${pet.name} by order ${id}.` : `Order ${id} is ${status}.`);
      onClose();
    },
  });
  return (
    <>
      <div className="actions">
        {pet.status === "available" && (
          <button type="button" disabled={act.isPending} onClick={() => act.mutate("place")}>
            Reserve
          </button>
        )}
        {order && (
          <>
            <button type="button" disabled={act.isPending} onClick={() => act.mutate("complete")}>
              Complete order {order.id}
            </button>
            <button type="button" disabled={act.isPending} onClick={() => act.mutate("cancel")}>
              Cancel order {order.id}
            </button>
          </>
        )}
      </div>
      <Failure error={act.error} />
    </>
  );
}
