import { createElement, requireElement } from "./element.ts";

export function initializeNavigation(): void {
  const navigation = requireElement("#navigation");
  const links = [...navigation.querySelectorAll<HTMLAnchorElement>("li a")];
  addSearch(navigation, links);
  trackSection(navigation, links);
  navigation.addEventListener("click", (event) => {
    const isLink = event.target instanceof Element && event.target.closest("a") !== null;
    if (isLink && navigation.matches(":popover-open")) navigation.hidePopover();
  });
}

function addSearch(navigation: HTMLElement, links: readonly HTMLAnchorElement[]): void {
  const input = createElement("input", {
    type: "search",
    placeholder: "Search (press /)",
    "aria-label": "Search the contents",
    "aria-keyshortcuts": "/",
    autocomplete: "off",
    spellcheck: "false",
  });
  const count = createElement("p", { class: "unseen", role: "status" });
  const noMatchNotice = createElement("p", { class: "nothing", hidden: "" }, "Nothing matches.");
  requireElement(".find", navigation).append(input, count, noMatchNotice);
  const findVisibleLinks = () => links.filter((link) => !link.parentElement?.hidden);

  const filter = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const link of links) {
      const text = `${link.textContent} ${link.dataset["words"] ?? ""}`.toLowerCase();
      if (link.parentElement) link.parentElement.hidden = !words.every((word) => text.includes(word));
    }
    for (const part of navigation.querySelectorAll<HTMLElement>(".part")) {
      part.hidden = !part.querySelector("li:not([hidden])");
    }
    const foundCount = findVisibleLinks().length;
    noMatchNotice.hidden = foundCount > 0;
    count.textContent = words.length > 0 ? `${foundCount} found` : "";
  };
  const clear = () => {
    input.value = "";
    filter();
  };

  input.addEventListener("input", filter);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    event.preventDefault();
    // On narrow screens, the contents are a popover.
    if (!navigation.checkVisibility()) navigation.showPopover();
    input.focus();
    input.select();
  });
  navigation.addEventListener("keydown", (event) => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    const foundLinks = findVisibleLinks();
    if (step !== undefined) {
      event.preventDefault();
      const index = foundLinks.indexOf(document.activeElement as HTMLAnchorElement) + step;
      (index < 0 ? input : foundLinks[Math.min(index, foundLinks.length - 1)])?.focus();
    } else if (event.key === "Enter" && event.target === input) {
      event.preventDefault();
      foundLinks[0]?.click();
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

/** While the user scrolls, marks the link to the section that is in view. */
function trackSection(navigation: HTMLElement, links: readonly HTMLAnchorElement[]): void {
  const targets = links.flatMap((link) => {
    const section = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    return section ? [{ link, section }] : [];
  });
  let current: HTMLAnchorElement | undefined;
  const mark = () => {
    const { link } = targets.findLast(({ section }) => topOf(section) < sectionStartPx) ?? {};
    if (!link || link === current) return;
    current?.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    current = link;
    if (!navigation.matches(":hover, :focus-within")) scrollTo(navigation, link);
  };
  // Calls `mark` when a section enters or leaves the upper third of the window.
  const observer = new IntersectionObserver(mark, { rootMargin: "-60px 0px -66% 0px" });
  for (const { section } of targets) observer.observe(section);
}

/** Distance from the top of the window at which a section counts as current. Links scroll a section slightly above this line. */
const sectionStartPx = 160;

function topOf(part: Element): number {
  return part.getBoundingClientRect().top;
}

/** Scrolls only the contents; `scrollIntoView` would also scroll the page. */
function scrollTo(navigation: HTMLElement, link: HTMLElement): void {
  const [outer, inner] = [navigation.getBoundingClientRect(), link.getBoundingClientRect()];
  const isVisible = inner.top >= outer.top + 60 && inner.bottom <= outer.bottom;
  if (!isVisible) navigation.scrollTop += inner.top - outer.top - outer.height / 3;
}
