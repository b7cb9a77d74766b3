import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Pet } from "../../../packages/client/src/index.ts";
import { type AnimalCommand, sendAnimalCommand } from "../animals/commands.ts";
import { queryKeys, useHasScope } from "../api/queries.ts";
import { parseInteger } from "../api/rules.ts";
import { useCategorySearch } from "../categories/category-name.tsx";
import { type OrderEnding, useReserveAnimal } from "../orders/order.tsx";
import { changeParameters, navigate } from "../parts/address.tsx";
import { useAppearance, useMedia } from "../parts/appearance.ts";
import { useDebounced } from "../parts/debounced.ts";
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
  readonly match?: Span | undefined;
  readonly aside?: string | undefined;
  readonly shortcut?: string | undefined;
  run(): void;
}

export interface SuggestionGroup {
  readonly title: string;
  readonly suggestions: readonly Suggestion[];
}

export function useSuggestions(input: string) {
  const text = input.trim();
  const { suggestions: animals, ...search } = useAnimalSuggestions(text);
  const commands = useCommands();
  const groups: readonly SuggestionGroup[] = [
    { title: "Animals", suggestions: animals },
    { title: "Categories", suggestions: useCategorySuggestions(text) },
    { title: "Commands", suggestions: text === "" ? commands : filterByWordPrefix(commands, text) },
  ];
  return { groups: groups.filter(({ suggestions }) => suggestions.length > 0), ...search };
}

function filterByWordPrefix(suggestions: readonly Suggestion[], text: string): readonly Suggestion[] {
  return suggestions.flatMap((suggestion) => {
    const match = matchWordPrefix(suggestion.title, text);
    return match ? [{ ...suggestion, match }] : [];
  });
}

function useAnimalSuggestions(text: string) {
  const byNumber = useAnimalByNumber(text);
  const byName = useAnimalsByName(text);
  const pets = [
    ...(byNumber.data ? [byNumber.data] : []),
    ...byName.pets.filter(({ id }) => id !== byNumber.data?.id),
  ].slice(0, maxSuggestionsPerGroup);
  const [first, ...others] = pets.map(
    ({ id, name, status }): Suggestion => ({
      id: `animal-${id}`,
      icon: "animals",
      title: name,
      match: matchPrefix(name, text),
      aside: `${id}, ${status}`,
      run: () => changeParameters({ animal: String(id) }),
    }),
  );
  // Suggests steps only for a single animal: with several, the user could not tell which animal a step changes.
  const nextSteps = useNextSteps(byNumber.data ?? (pets.length === 1 ? pets[0] : undefined));
  return {
    suggestions: first ? [first, ...nextSteps, ...others] : [],
    isSearching: byNumber.isFetching || byName.isSearching,
    hasMore: byName.hasMore,
    error: byNumber.error ?? byName.error,
  };
}

function useAnimalByNumber(text: string) {
  const store = useStore();
  const number = parseInteger(text);
  return useQuery({
    queryKey: queryKeys.animal(`number ${text}`),
    enabled: number !== undefined,
    gcTime: 0,
    queryFn: async ({ signal }) => (await store.pets.find(number ?? 0, { signal })) ?? null,
  });
}

/** Searches animals by name. While a search is pending, keeps the earlier results that still match. */
function useAnimalsByName(text: string) {
  const store = useStore();
  const name = useDebounced(text, typingPauseMs);
  const search = useQuery({
    queryKey: queryKeys.animal(`named ${name}`),
    enabled: name !== "",
    gcTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => store.pets.list({ name, limit: maxSuggestionsPerGroup }, { signal }).page(),
  });
  if (text === "") return { pets: [], isSearching: false, hasMore: false, error: null };
  const isCurrent = name === text;
  return {
    pets: (search.data?.items ?? []).filter((pet) => matchPrefix(pet.name, text)),
    isSearching: !isCurrent || search.isFetching,
    hasMore: isCurrent && search.isSuccess && search.data.next !== undefined,
    error: isCurrent ? search.error : null,
  };
}

/** Delay of the search after a key press: longer than a fast typist's pauses, but too short to be noticed. */
const typingPauseMs = 80;

function useNextSteps(pet: Pet | undefined): readonly Suggestion[] {
  const store = useStore();
  const canWrite = useHasScope("write");
  const reserve = useReserveAnimal();
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
  const endOrder = (verb: OrderEnding) => () =>
    changeParameters({ animal: undefined, order: String(order.id), end: verb });
  const title = `order ${order.id}`;
  return [
    {
      id: `complete-${order.id}`,
      icon: "check",
      title: `Complete ${title}`,
      shortcut: "C",
      run: endOrder("complete"),
    },
    { id: `cancel-${order.id}`, icon: "close", title: `Cancel ${title}`, run: endOrder("cancel") },
  ];
}

function useCategorySuggestions(text: string): readonly Suggestion[] {
  const { categories } = useCategorySearch(text);
  if (text === "") return [];
  const suggestions = categories.map(
    ({ id, name }): Suggestion => ({
      id: `category-${id}`,
      icon: "categories",
      title: name,
      aside: "Show its animals",
      run: () => navigate({ path: "/animals", parameters: { category: String(id) } }),
    }),
  );
  return filterByWordPrefix(suggestions, text).slice(0, maxSuggestionsPerGroup);
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
  const createAnimalsViewAction = (command: AnimalCommand) => () => {
    if (location.pathname !== "/animals") navigate({ path: "/animals", parameters: {} });
    sendAnimalCommand(command);
  };
  const createViewAction = (path: string) => () => navigate({ path, parameters: {} });
  const commands: (readonly [id: string, icon: IconName, title: string, run: () => void, shortcut?: string] | false)[] =
    [
      undo !== undefined && ["undo", "undo", "Undo the latest change", undo, formatShortcut("Z")],
      canWrite && ["add", "plus", "Add an animal", () => changeParameters({ add: "animal" })],
      canWrite && ["import", "upload", "Import animals from a CSV file", createAnimalsViewAction("import")],
      ["export", "download", "Export animals as CSV", createAnimalsViewAction("export")],
      ...views.map(
        ({ path, title, icon }) =>
          [path.slice(1), icon, `Go to ${title.toLowerCase()}`, createViewAction(path)] as const,
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

const maxSuggestionsPerGroup = 6;
