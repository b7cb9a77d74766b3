import { element, the } from "./element.ts";

/** Makes the contents searchable by keyboard, and shows in them where one is. */
export function makeNavigation(): void {
  const navigation = the("#navigation");
  const links = [...navigation.querySelectorAll<HTMLAnchorElement>("li a")];
  makeSearch(navigation, links);
  followReading(navigation, links);
  navigation.addEventListener("click", (event) => {
    const isLink = event.target instanceof Element && event.target.closest("a") !== null;
    if (isLink && navigation.matches(":popover-open")) navigation.hidePopover();
  });
}

function makeSearch(navigation: HTMLElement, links: readonly HTMLAnchorElement[]): void {
  const input = element("input", {
    type: "search",
    placeholder: "Search (press /)",
    "aria-label": "Search the contents",
    "aria-keyshortcuts": "/",
    autocomplete: "off",
    spellcheck: "false",
  });
  const count = element("p", { class: "unseen", role: "status" });
  const nothing = element("p", { class: "nothing", hidden: "" }, "Nothing matches.");
  the(".find", navigation).append(input, count, nothing);
  const texts = new Map(
    links.map((link) => [link, `${link.textContent} ${link.dataset["words"] ?? ""}`.toLowerCase()] as const),
  );
  const shown = () => links.filter((link) => !link.parentElement?.hidden);

  const filter = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const [link, text] of texts) {
      if (link.parentElement) link.parentElement.hidden = !words.every((word) => text.includes(word));
    }
    for (const part of navigation.querySelectorAll<HTMLElement>(".part")) {
      part.hidden = !part.querySelector("li:not([hidden])");
    }
    const found = shown().length;
    nothing.hidden = found > 0;
    count.textContent = words.length > 0 ? `${found} found` : "";
  };
  const leave = () => {
    input.value = "";
    filter();
  };

  input.addEventListener("input", filter);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    event.preventDefault();
    // Where there is no room beside the page, the contents have to be opened first.
    if (!navigation.checkVisibility()) navigation.showPopover();
    input.focus();
    input.select();
  });
  navigation.addEventListener("keydown", (event) => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    const found = shown();
    if (step !== undefined) {
      event.preventDefault();
      const place = found.indexOf(document.activeElement as HTMLAnchorElement) + step;
      (place < 0 ? input : found[Math.min(place, found.length - 1)])?.focus();
    } else if (event.key === "Enter" && event.target === input) {
      event.preventDefault();
      found[0]?.click();
      leave();
    } else if (event.key === "Escape" && event.target === input && input.value !== "") {
      event.preventDefault();
      leave();
    }
  });
}

/** Whether a key that is pressed there writes something. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.matches("input, textarea, select") || target.closest("dialog") !== null)
  );
}

/** Marks the part that is being read. */
function followReading(navigation: HTMLElement, links: readonly HTMLAnchorElement[]): void {
  const byId = new Map(links.map((link) => [decodeURIComponent(link.hash.slice(1)), link]));
  const inView = new Set<Element>();
  let current: HTMLAnchorElement | undefined;
  const mark = () => {
    const byTop = [...inView].sort((one, other) => topOf(one) - topOf(other));
    // The last that has begun, or the first that is seen.
    const read = byTop.findLast((part) => topOf(part) < beginningPx) ?? byTop[0];
    const link = read && byId.get(read.id);
    if (!link || link === current) return;
    current?.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    current = link;
    if (!navigation.matches(":hover, :focus-within")) scrollTo(navigation, link);
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (isIntersecting) inView.add(target);
        else inView.delete(target);
      }
      mark();
    },
    // What is in the upper third of the window is being read.
    { rootMargin: "-60px 0px -66% 0px" },
  );
  for (const id of byId.keys()) {
    const part = document.getElementById(id);
    if (part) observer.observe(part);
  }
}

/** How far below the top of the window a part counts as begun: somewhat more than where links lead. */
const beginningPx = 160;

function topOf(part: Element): number {
  return part.getBoundingClientRect().top;
}

/** Not by the browser's own means, which would scroll the page as well. */
function scrollTo(navigation: HTMLElement, link: HTMLElement): void {
  const [outer, inner] = [navigation.getBoundingClientRect(), link.getBoundingClientRect()];
  const isSeen = inner.top >= outer.top + 60 && inner.bottom <= outer.bottom;
  if (!isSeen) navigation.scrollTop += inner.top - outer.top - outer.height / 3;
}
