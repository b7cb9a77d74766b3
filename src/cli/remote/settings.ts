import type { EventType } from "../../../packages/client/src/generated.ts";
import { parseInt64 } from "../../base/int64.ts";
import { choiceSetting, choicesParser, nonEmpty, operand, setting, textSetting } from "../../config.ts";
import { eventTypes } from "../../domain/event.ts";

export function idOperand(noun: string, list: string, placeholder = "ID") {
  return operand(placeholder, parseInt64, {
    help: `The id of the ${noun}.`,
    expects: `the id of ${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}, as ${list} shows it`,
  });
}

export function categorySetting(help = "The id of the category, any 64-bit integer.") {
  return setting("--category ID", parseInt64, { help, expects: "a 64-bit integer" });
}

export function nameSetting(help: string) {
  return textSetting("--name TEXT", { help });
}

export function statusSetting<Status extends string>(statuses: readonly Status[], help: string) {
  return choiceSetting("--status STATUS", statuses, { help: `${help}: ${statuses.join(", ")}.` });
}

export function statusesSetting<Status extends string>(statuses: readonly Status[], help: string) {
  return setting("--status STATUS", choicesParser(statuses), {
    help: `${help}, or one of several, separated by commas: ${statuses.join(", ")}.`,
    expects: `one or more of ${statuses.join(", ")}, separated by commas`,
    choices: statuses,
  });
}

/** This setting has no default, because a list that is filtered by name is sorted by name. */
export const sortSetting = choiceSetting("--sort ORDER", ["id", "-id"] as const, {
  help: "id, the oldest first, which is the default, or -id, the newest first.",
});

export const idempotencySetting = textSetting("--idempotency-key TEXT", {
  help: "An idempotency key: a request that is repeated with it within 24 hours is not carried out again.",
});

export const typeSetting = setting("--type TYPE", (text) => nonEmpty(text)?.split(",") as EventType[] | undefined, {
  help: "Only events of this type, such as pet.created, or of several types, separated by commas.",
  expects: "an event type, or several, separated by commas",
  choices: eventTypes,
});

export const subjectSetting = textSetting("--subject SUBJECT", {
  help: "Only events about this animal, order, category, key or webhook, such as pets/12.",
  expects: "a subject such as pets/12",
});

export function fromSetting<Preset extends "beginning" | "latest">(preset: Preset) {
  return textSetting("--from WHERE", {
    help: "Where to begin: beginning, for all that is kept; latest, for what happens from now on; or a cursor.",
    expects: "beginning, latest or a cursor",
    choices: ["beginning", "latest"],
    default: preset,
  });
}

export function toCursor(from: string): string | undefined {
  return from === "beginning" ? undefined : from;
}
