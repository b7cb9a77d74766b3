import { changeParameters } from "../parts/address.tsx";
import { Button } from "../parts/controls.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { formatShortcut } from "../parts/shortcut.ts";

export function Shortcuts() {
  const close = () => changeParameters({ help: undefined });
  return (
    <Dialog title="Keyboard shortcuts" onClose={close}>
      <dl className="shortcuts">
        {shortcuts.map(([keys, what]) => (
          <div key={what}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <footer>
        <Button className="primary" onClick={close}>
          Close
        </Button>
      </footer>
    </Dialog>
  );
}

const shortcuts: readonly (readonly [keys: readonly string[], what: string])[] = [
  [[formatShortcut("K")], "Search, or do anything"],
  [[formatShortcut("Z")], "Undo the latest change, while undo is offered"],
  [[formatShortcut("V")], "Import the rows that you copied, in the view of animals"],
  [[formatShortcut("Enter")], "Add the animal, and continue with another of its category"],
  [["↓", "↑"], "Go to the list of animals, and through it"],
  [["Enter"], "Open the animal in the list"],
  [["R"], "Reserve the animal in the list"],
  [["C"], "Complete its order"],
  [["X", "Space"], "Select the animal in the list; with Shift, all between two"],
  [["?"], "Show these shortcuts, from the list"],
];
