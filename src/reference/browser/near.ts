/** Does something to each part of the page once it comes near to what is seen: most parts are never looked at. */
export function whenNear(selector: string, prepare: (part: HTMLElement) => void): void {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        prepare(target as HTMLElement);
      }
    },
    { rootMargin: "800px 0px" },
  );
  for (const part of document.querySelectorAll(selector)) observer.observe(part);
}
