import { changeParameters } from "../parts/address.tsx";
import { Button } from "../parts/controls.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { formatShortcut } from "../parts/shortcut.ts";

export function Shortcuts() {
  const close = () => changeParameters({ help: undefined });
  return (
    <Dialog title="Keyboard shortcuts" onClose={close}>
      <dl className="shortcuts">
        {shortcuts.map(([effect, ...keys]) => (
          <div key={effect}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{effect}</dd>
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

const shortcuts: readonly (readonly [effect: string, ...keys: string[]])[] = [
  ["Search, or do anything", formatShortcut("K")],
  ["Undo the latest change, while undo is offered", formatShortcut("Z")],
  ["Import the rows that you copied, in the animals view", formatShortcut("V")],
  ["Add the animal, and continue with another in the same category", formatShortcut("Enter")],
  ["Move into the list of animals, and through it", "↓", "↑"],
  ["Open the animal in the list", "Enter"],
  ["Reserve the animal in the list", "R"],
  ["Complete its order", "C"],
  ["Select the animal in the list; with Shift, a range", "X", "Space"],
  ["Show these shortcuts, from the list", "?"],
];
