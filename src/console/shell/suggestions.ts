import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Pet } from "../../../packages/client/src/index.ts";
import { type AnimalCommand, sendAnimalCommand } from "../animals/commands.ts";
import { queryKeys, useHasScope } from "../api/queries.ts";
import { parseInteger } from "../api/rules.ts";
import { useCategorySearch } from "../categories/category-name.tsx";
import { type Ending, useReserve } from "../orders/order.tsx";
import { changeParameters, navigate } from "../parts/address.tsx";
import { useAppearance, useMedia } from "../parts/appearance.ts";
import { useDebounced } from "../parts/deferred.tsx";
import type { IconName } from "../parts/icons.tsx";
import { printPage } from "../parts/printing.ts";
import { formatShortcut } from "../parts/shortcut.ts";
import { useLatestUndo } from "../parts/toast.tsx";
import { useOfferedViews } from "../session/permission.tsx";
import { useStore } from "../session/session.tsx";
import { matchPrefix, matchWordPrefix, type Span } from "./prefix-match.ts";
import { useSignOut } from "./sign-out.tsx";

export interface Suggestion {
  readonly id: string;
  readonly icon: IconName;
  readonly title: string;
  readonly mark?: Span | undefined;
  readonly aside?: string | undefined;
  /** The key that does the same without the palette. */
  readonly shortcut?: string | undefined;
  run(): void;
}

interface SuggestionGroup {
  readonly title: string;
  readonly suggestions: readonly Suggestion[];
}

/** Finds what a text may mean: the number or the beginning of the name of an animal, a category, a command. */
export function useSuggestions(text: string): {
  readonly groups: readonly SuggestionGroup[];
  readonly isSearching: boolean;
  readonly hasMore: boolean;
  readonly error: unknown;
} {
  const wanted = text.trim();
  const { suggestions: animals, ...search } = useAnimals(wanted);
  const commands = useCommands().flatMap((command) => {
    const mark = matchWordPrefix(command.title, wanted);
    return wanted === "" || mark ? [{ ...command, mark }] : [];
  });
  const groups = [
    { title: "Animals", suggestions: animals },
    { title: "Categories", suggestions: useCategorySuggestions(wanted) },
    { title: "Commands", suggestions: commands },
  ];
  return { groups: groups.filter(({ suggestions }) => suggestions.length > 0), ...search };
}

function useAnimals(wanted: string) {
  const numbered = useNumbered(wanted);
  const named = useNamed(wanted);
  const pets = [
    ...(numbered.data ? [numbered.data] : []),
    ...named.pets.filter(({ id }) => id !== numbered.data?.id),
  ].slice(0, maxPerKind);
  const suggestions = pets.map((pet): Suggestion => {
    const { id, name, status } = pet;
    return {
      id: `animal-${id}`,
      icon: "animals",
      title: name,
      mark: matchPrefix(name, wanted),
      aside: `${id}, ${status}`,
      run: () => changeParameters({ animal: String(id) }),
    };
  });
  // With several animals, the steps would be ambiguous.
  const steps = useNextSteps(numbered.data ?? (pets.length === 1 ? pets[0] : undefined));
  const [first, ...others] = suggestions;
  return {
    suggestions: first ? [first, ...steps, ...others] : [],
    isSearching: numbered.isFetching || named.isSearching,
    hasMore: named.hasMore,
    error: numbered.error ?? named.error,
  };
}

function useNumbered(wanted: string) {
  const store = useStore();
  const number = parseInteger(wanted);
  return useQuery({
    queryKey: queryKeys.animal(`number ${wanted}`),
    enabled: number !== undefined,
    gcTime: 0,
    queryFn: async ({ signal }) => (await store.pets.find(number ?? 0, { signal })) ?? null,
  });
}

/** Finds animals by the beginning of their names. While the user types, those that still match stay. */
function useNamed(wanted: string) {
  const store = useStore();
  const name = useDebounced(wanted, settleMs);
  const isPossible = (text: string) => text !== "" && [...text].length <= maxNameLength;
  const found = useQuery({
    queryKey: queryKeys.animal(`named ${name}`),
    enabled: isPossible(name),
    gcTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => store.pets.list({ name, limit: maxPerKind }, { signal }).page(),
  });
  const isSettled = name === wanted;
  return {
    pets: isPossible(wanted) ? (found.data?.items ?? []).filter((pet) => matchPrefix(pet.name, wanted)) : [],
    isSearching: isPossible(wanted) && (!isSettled || found.isFetching),
    hasMore: isPossible(wanted) && isSettled && found.isSuccess && found.data.next !== undefined,
    error: isPossible(wanted) && isSettled ? found.error : null,
  };
}

/** Unnoticeable, and long enough for fast typists. */
const settleMs = 80;

const maxNameLength = 255;

function useNextSteps(pet: Pet | undefined): readonly Suggestion[] {
  const store = useStore();
  const canWrite = useHasScope("write");
  const reserve = useReserve();
  const { data: order } = useQuery({
    queryKey: [...queryKeys.orders, "of", String(pet?.id)],
    enabled: canWrite && pet?.status === "pending",
    gcTime: 0,
    queryFn: async () => (await store.orders.list({ petId: pet?.id, status: "placed" }).page()).items[0] ?? null,
  });
  if (!canWrite || !pet) return [];
  const { id, name, status } = pet;
  if (status === "available") {
    return [{ id: `reserve-${id}`, icon: "orders", title: `Reserve ${name}`, shortcut: "R", run: () => reserve(pet) }];
  }
  if (status !== "pending" || !order) return [];
  const end = (ending: Ending) => () => changeParameters({ animal: undefined, order: String(order.id), end: ending });
  const title = `order ${order.id}`;
  return [
    { id: `complete-${order.id}`, icon: "check", title: `Complete ${title}`, shortcut: "C", run: end("complete") },
    { id: `cancel-${order.id}`, icon: "close", title: `Cancel ${title}`, run: end("cancel") },
  ];
}

function useCategorySuggestions(wanted: string): readonly Suggestion[] {
  const { categories } = useCategorySearch(wanted);
  if (wanted === "") return [];
  return categories
    .flatMap(({ id, name }) => {
      const mark = matchWordPrefix(name, wanted);
      return mark ? [{ id, name, mark }] : [];
    })
    .slice(0, maxPerKind)
    .map(({ id, name, mark }) => ({
      id: `category-${id}`,
      icon: "categories",
      title: name,
      mark,
      aside: "Show its animals",
      run: () => navigate({ path: "/animals", parameters: { category: String(id) } }),
    }));
}

function useCommands(): readonly Suggestion[] {
  const canWrite = useHasScope("write");
  const views = useOfferedViews();
  const signOut = useSignOut();
  const undo = useLatestUndo(useStore());
  const [density, chooseDensity] = useAppearance("density");
  const [theme, chooseTheme] = useAppearance("theme");
  const otherDensity = density === "compact" ? "comfortable" : "compact";
  const isDark = useMedia("(prefers-color-scheme: dark)") ? theme !== "light" : theme === "dark";
  const otherTheme = isDark ? "light" : "dark";
  const inAnimals = (command: AnimalCommand) => () => {
    if (location.pathname !== "/animals") navigate({ path: "/animals", parameters: {} });
    sendAnimalCommand(command);
  };
  const commands: (readonly [id: string, icon: IconName, title: string, run: () => void, shortcut?: string] | false)[] =
    [
      undo !== undefined && ["undo", "undo", "Undo the latest change", undo, formatShortcut("Z")],
      canWrite && ["add", "plus", "Add an animal", () => changeParameters({ add: "animal" })],
      canWrite && ["import", "upload", "Import animals from a CSV file", inAnimals("import")],
      ["export", "download", "Export animals as CSV", inAnimals("export")],
      ...views.map(
        ({ path, title, icon }) =>
          [path.slice(1), icon, `Go to ${title.toLowerCase()}`, () => navigate({ path, parameters: {} })] as const,
      ),
      ["density", "filter", `Make rows ${otherDensity}`, () => chooseDensity(otherDensity)],
      ["theme", "overview", `Use ${otherTheme} colours`, () => chooseTheme(otherTheme)],
      ["print", "print", "Print this page", printPage],
      ["help", "book", "Show keyboard shortcuts", () => changeParameters({ help: "keys" }), "?"],
      ["reference", "book", "Read the API reference", () => location.assign("/docs")],
      ["sign-out", "signOut", "Sign out", signOut],
    ];
  return commands
    .filter((command) => command !== false)
    .map(([id, icon, title, run, shortcut]) => ({ id, icon, title, run, shortcut }));
}

const maxPerKind = 6;
