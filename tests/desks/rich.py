"""Studies that show what the pages can: items with a field of every kind, and a laboratory that tells numbers."""

from PIL import Image

from desks.browsing import make_study, ringtrue, write_pool

HEBREW = "שלום עולם, זה טקסט ארוך מספיק כדי שיעמוד לבדו על המסך ולא בשורה אחת ליד שמו"
LONG = "A letter of several lines.\n\nIt keeps its line breaks, and is wrapped where it is too long. " * 4
SHOWN = ("--show", "one=side", "--show", "two=side", "--show", "photo=image", "--files", "photos")


def make_rich(folder):
    """Make a study whose items have a field of every kind but arrays, and return its file."""
    (folder / "photos").mkdir()
    rows = []
    for row in range(12):
        Image.new("RGB", (640, 400), (20 * row, 80, 120)).save(folder / "photos" / f"{row}.png")
        rows.append(
            {
                "id": f"row-{row}", "said": "yes", "letter": LONG, "hebrew": HEBREW, "amount": 12.5, "town": "Bern",
                "form": '{"name": "Rossi", "children": [{"age": 3}, {"age": 7}]}',
                "talk": '[{"role": "user", "content": "May I?"}, {"role": "assistant", "content": "You may."}]',
                "one": "The first version.", "two": "The second version.", "photo": f"{row}.png",
            }
        )  # fmt: skip
    write_pool(folder / "pool.csv", rows)
    return make_study(folder, "rich", "--labels", "yes,no,neither")


SPACE = "[parameters]\nheat = { low = 250, high = 400, step = 5 }\n"
MODEL = "def model(rows):\n    return [2 * row['heat'] for row in rows]\n"


def make_lab(folder):
    """Make a study that asks a laboratory for numbers, and return its file."""
    (folder / "space.toml").write_text(SPACE)
    (folder / "furnace.py").write_text(MODEL)
    options = ("--space", "space.toml", "--model", "furnace:model", "--budget", 6, "--batch", 3)
    ringtrue(folder, "worst", "lab", *options, "--sheet", "out.csv")
    return folder / "lab.ringtrue"
