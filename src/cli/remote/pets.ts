import type { Setting } from "../../config.ts";
import { ServiceError } from "../../domain/errors.ts";
import { type NewPet, petFields, petStatuses } from "../../domain/pet.ts";
import type { CommandGroup } from "../command.ts";
import { inventoryColumns, petColumns } from "./columns.ts";
import { deleteCommand, getCommand, itemCommand, listCommand } from "./remote-command.ts";
import { categorySetting, idOperand, nameSetting, sortSetting, statusesSetting, statusSetting } from "./settings.ts";

const petId = idOperand("animal", "pets list");

const petSettings = {
  name: nameSetting("The animal's name."),
  categoryId: categorySetting(),
  status: statusSetting(petStatuses, `Its status, for a new animal by default ${petFields.status.default}`),
} satisfies Readonly<Record<keyof NewPet, Setting<unknown>>>;

export const petsCommands: CommandGroup = {
  name: "pets",
  summary: "List, show, add, change and delete the animals of a running service.",
  commands: [
    listCommand({
      name: "list",
      summary: "List animals.",
      settings: {
        status: statusesSetting(petStatuses, "Only animals with this status"),
        categoryId: categorySetting("Only animals of the category with this id."),
        name: nameSetting("Only animals whose names start with this, sorted by name."),
        sort: sortSetting,
      },
      columns: petColumns,
      call: ({ pets }, filter, page) => pets.list({ ...filter, ...page }),
    }),
    getCommand("an animal", petId, petColumns, async ({ pets }, id) => {
      const { data: pet, requestId } = await pets.find(id).withResponse();
      if (!pet) throw new ServiceError("NotFound", `No animal has the id ${id}. (request ${requestId})`);
      return pet;
    }),
    itemCommand({
      name: "add",
      alias: "create",
      summary: "Add an animal. Also: pets create.",
      settings: {
        ...petSettings,
        name: { ...petSettings.name, isRequired: true },
        categoryId: { ...categorySetting(), isRequired: true },
      },
      columns: petColumns,
      takesIdempotencyKey: true,
      call: ({ pets }, pet, options) => pets.create(pet, options),
    }),
    itemCommand({
      name: "update",
      summary: "Change an animal; only the given fields change.",
      settings: petSettings,
      operands: { petId },
      columns: petColumns,
      call: ({ pets }, { petId: id, ...changes }) => pets.update(id, changes),
    }),
    deleteCommand("Delete an animal.", petId, "animal", ({ pets }, id) => pets.delete(id)),
  ],
};

export const inventoryCommand = itemCommand({
  name: "inventory",
  summary: "Show the number of animals with each status.",
  settings: {
    category: categorySetting("Only animals of the category with this id; 1000 stands for that many or more."),
  },
  columns: inventoryColumns,
  call: ({ inventory }, { category }) => (category === undefined ? inventory.get() : inventory.ofCategory(category)),
});
