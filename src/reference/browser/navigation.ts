import { element, the } from "./element.ts";

/** Makes the contents searchable by keyboard, and marks the section in view. */
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
  const shown = () => links.filter((link) => !link.parentElement?.hidden);

  const filter = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const link of links) {
      const text = `${link.textContent} ${link.dataset["words"] ?? ""}`.toLowerCase();
      if (link.parentElement) link.parentElement.hidden = !words.every((word) => text.includes(word));
    }
    for (const part of navigation.querySelectorAll<HTMLElement>(".part")) {
      part.hidden = !part.querySelector("li:not([hidden])");
    }
    const found = shown().length;
    nothing.hidden = found > 0;
    count.textContent = words.length > 0 ? `${found} found` : "";
  };
  const clear = () => {
    input.value = "";
    filter();
  };

  input.addEventListener("input", filter);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    event.preventDefault();
    // In a narrow window, the contents are a popover.
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
      clear();
    } else if (event.key === "Escape" && event.target === input && input.value !== "") {
      event.preventDefault();
      clear();
    }
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, textarea, select, dialog") !== null;
}

/** Marks the link to the section in view. */
function followReading(navigation: HTMLElement, links: readonly HTMLAnchorElement[]): void {
  const byId = new Map(links.map((link) => [decodeURIComponent(link.hash.slice(1)), link]));
  const inView = new Set<Element>();
  let current: HTMLAnchorElement | undefined;
  const mark = () => {
    const byTop = [...inView].sort((one, other) => topOf(one) - topOf(other));
    // The last section that has begun, or else the first in view.
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
    // A section counts as in view in the upper third of the window.
    { rootMargin: "-60px 0px -66% 0px" },
  );
  for (const id of byId.keys()) {
    const part = document.getElementById(id);
    if (part) observer.observe(part);
  }
}

/** Distance from the top of the window within which a section has begun; links scroll to somewhat less. */
const beginningPx = 160;

function topOf(part: Element): number {
  return part.getBoundingClientRect().top;
}

/** Scrolls the contents alone; the browser's `scrollIntoView` would scroll the page as well. */
function scrollTo(navigation: HTMLElement, link: HTMLElement): void {
  const [outer, inner] = [navigation.getBoundingClientRect(), link.getBoundingClientRect()];
  const isSeen = inner.top >= outer.top + 60 && inner.bottom <= outer.bottom;
  if (!isSeen) navigation.scrollTop += inner.top - outer.top - outer.height / 3;
}
