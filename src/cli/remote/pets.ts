import { type Setting, SettingsError } from "../../config.ts";
import { ServiceError } from "../../domain/errors.ts";
import { namesOf, pick } from "../../domain/fields.ts";
import { type NewPet, petFields, petStatuses } from "../../domain/pet.ts";
import type { CommandGroup } from "../command.ts";
import { petColumns } from "./columns.ts";
import { remoteCommand } from "./remote-command.ts";
import {
  categorySetting,
  firstOf,
  idempotencySetting,
  idOperand,
  limitSetting,
  nameSetting,
  sortSetting,
  statusesSetting,
  statusSetting,
} from "./settings.ts";

const petId = idOperand("animal", "pets list");

const petSettings = {
  name: { ...nameSetting, help: "The animal's name." },
  categoryId: categorySetting,
  status: statusSetting(petStatuses, "Its status"),
} satisfies Readonly<Record<keyof NewPet, Setting<unknown>>>;
const petFieldNames = namesOf(petSettings);

export const petsCommands: CommandGroup = {
  name: "pets",
  summary: "List, show, add, change and delete the animals of a running service.",
  commands: [
    remoteCommand({
      name: "list",
      summary: "List animals.",
      settings: {
        status: statusesSetting(petStatuses, "Only animals with this status"),
        category: { ...categorySetting, help: "Only animals of the category with this id." },
        name: { ...nameSetting, help: "Only animals whose names start with this, sorted by name." },
        sort: sortSetting,
        limit: limitSetting,
      },
      async run({ settings: { status, category, name, sort, limit }, output, store }) {
        const { pets } = store;
        const walk = (pageSize: number) => pets.list({ status, categoryId: category, name, sort, limit: pageSize });
        return await output.list(firstOf(limit, walk), petColumns);
      },
    }),
    remoteCommand({
      name: "get",
      summary: "Show an animal.",
      operands: { petId },
      async run({ operands: { petId: id }, output, store }) {
        const { data: pet, requestId } = await store.pets.find(id).withResponse();
        if (!pet) throw new ServiceError("NotFound", `No animal has the id ${id}. (request ${requestId})`);
        return await output.item(pet, petColumns);
      },
    }),
    remoteCommand({
      name: "add",
      alias: "create",
      summary: "Add an animal. Also: pets create.",
      settings: {
        ...petSettings,
        name: { ...petSettings.name, isRequired: true },
        categoryId: { ...categorySetting, isRequired: true },
        status: statusSetting(petStatuses, `Its status, by default ${petFields.status.default}`),
        idempotencyKey: idempotencySetting,
      } as const,
      async run({ settings, output, store }) {
        const { idempotencyKey } = settings;
        const pet = await store.pets.create(pick(settings, petFieldNames), { idempotencyKey });
        return await output.item(pet, petColumns);
      },
    }),
    remoteCommand({
      name: "update",
      summary: "Change an animal; only the given fields change.",
      settings: {
        ...petSettings,
        name: { ...nameSetting, help: "The new name." },
        status: statusSetting(petStatuses, "The new status"),
      },
      operands: { petId },
      async run({ settings, operands: { petId: id }, output, store }) {
        const changes = pick(settings, petFieldNames);
        if (Object.values(changes).every((value) => value === undefined)) {
          const flags = Object.values(petSettings).map(({ flag }) => `--${flag}`);
          throw new SettingsError([
            `pets update needs at least one of ${flags.join(", ").replace(/,(?=[^,]*$)/, " and")}.`,
          ]);
        }
        return await output.item(await store.pets.update(id, changes), petColumns);
      },
    }),
    remoteCommand({
      name: "delete",
      summary: "Delete an animal.",
      operands: { petId },
      async run({ operands: { petId: id }, output, store }) {
        await store.pets.delete(id);
        return await output.done(`Deleted animal ${id}.`, { id, isDeleted: true });
      },
    }),
  ],
};
