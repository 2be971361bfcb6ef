//! Draws charts as SVG: bars and lines, with a light and a dark theme.

use std::fmt::Write;

const WIDTH: f64 = 760.0;
const FONT: &str = "font-family=\"system-ui, -apple-system, Segoe UI, sans-serif\"";
/// The background, text and lines in both themes, and a color for each line of a chart.
const STYLE: &str = "<style>\
.card{fill:#ffffff;stroke:#d0d7de}.text{fill:#1f2328}.soft{fill:#59636e}.grid{stroke:#d0d7de}\
.c0{--c:#0969da}.c1{--c:#bf3989}.c2{--c:#1a7f37}.c3{--c:#9a6700}.c4{--c:#8250df}.c5{--c:#cf222e}\
.c6{--c:#6e7781}\
.bar,.dot{fill:var(--c)}.line{stroke:var(--c);fill:none;stroke-width:2.2}\
@media (prefers-color-scheme: dark){.card{fill:#0d1117;stroke:#3d444d}.text{fill:#f0f6fc}\
.soft{fill:#9198a1}.grid{stroke:#3d444d}\
.c0{--c:#4493f8}.c1{--c:#db61a2}.c2{--c:#3fb950}.c3{--c:#d29922}.c4{--c:#ab7df8}.c5{--c:#f85149}\
.c6{--c:#9198a1}}\
</style>";

/// The number of colors; the last is gray.
const COLORS: usize = 7;

/// A bar of a chart.
pub struct Bar {
    pub name: &'static str,
    pub value: f64,
    /// Whether it is Panji's bar; the others are gray.
    pub own: bool,
}

/// A chart of bars, one below the other, each with its value.
pub fn bars(title: &str, unit: &str, bars: &[Bar]) -> String {
    let (left, right, top, step) = (210.0, 110.0, 58.0, 30.0);
    let height = top + step * bars.len() as f64 + 44.0;
    let max_value = bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
    let scale = Scale::linear(max_value, left, WIDTH - right);
    let mut svg = open(title, unit, height);
    let bottom = top + step * bars.len() as f64;
    for tick in scale.ticks() {
        let x = scale.position(tick);
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{top}\" y2=\"{bottom}\"/>"
        );
        text(&mut svg, "soft", "middle", (x, bottom + 18.0), 12, &short(tick));
    }
    for (number, bar) in bars.iter().enumerate() {
        let y = top + step * number as f64;
        // A very short bar still gets a minimum width.
        let width = (scale.position(bar.value) - left).max(1.0);
        let _ = write!(
            svg,
            "<rect class=\"c{} bar\" x=\"{left}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{:.1}\" rx=\"2\"/>",
            if bar.own { 0 } else { COLORS - 1 },
            y + 5.0,
            step - 10.0
        );
        text(&mut svg, "text", "end", (left - 10.0, y + 19.5), 13, bar.name);
        text(&mut svg, "text", "start", (left + width + 8.0, y + 19.5), 13, &grouped(bar.value));
    }
    svg + "</svg>\n"
}

/// A line of a chart: its name and its points.
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// A chart of lines; both axes are logarithmic, because the values differ by orders of magnitude.
pub fn lines(title: &str, x_label: &str, y_label: &str, lines: &[Line]) -> String {
    let (left, right, top, height) = (78.0, 216.0, 58.0, 400.0);
    let bottom = height - 62.0;
    let points = || lines.iter().flat_map(|line| &line.points);
    let xs = Scale::logarithmic(points().map(|point| point.0), left, WIDTH - right, false);
    let ys = Scale::logarithmic(points().map(|point| point.1), bottom, top, true);
    let mut svg = open(title, y_label, height);
    for tick in ys.ticks() {
        let y = ys.position(tick);
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{left}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>",
            WIDTH - right
        );
        text(&mut svg, "soft", "end", (left - 8.0, y + 4.0), 12, &short(tick));
    }
    let mut x_values: Vec<f64> = points().map(|point| point.0).collect();
    x_values.sort_by(f64::total_cmp);
    x_values.dedup();
    for x_value in x_values {
        text(
            &mut svg,
            "soft",
            "middle",
            (xs.position(x_value), bottom + 20.0),
            12,
            &short(x_value),
        );
    }
    let middle = (left + WIDTH - right) / 2.0;
    text(&mut svg, "soft", "middle", (middle, bottom + 44.0), 13, x_label);
    for (number, line) in lines.iter().enumerate() {
        draw_line(&mut svg, number % COLORS, line, &xs, &ys);
        let y = top + 10.0 + 24.0 * number as f64;
        let x = WIDTH - right + 24.0;
        let class = number % COLORS;
        let _ = write!(svg, "<circle class=\"c{class} dot\" cx=\"{x}\" cy=\"{y}\" r=\"5\"/>");
        text(&mut svg, "text", "start", (x + 12.0, y + 4.5), 13, &line.name);
    }
    svg + "</svg>\n"
}

fn draw_line(svg: &mut String, class: usize, line: &Line, xs: &Scale, ys: &Scale) {
    let position = |point: &(f64, f64)| (xs.position(point.0), ys.position(point.1));
    let points: Vec<String> =
        line.points.iter().map(position).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let _ = write!(svg, "<polyline class=\"c{class} line\" points=\"{}\"/>", points.join(" "));
    for (x, y) in line.points.iter().map(position) {
        let _ =
            write!(svg, "<circle class=\"c{class} dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"/>");
    }
}

/// Maps values to positions in the chart.
struct Scale {
    from: f64,
    to: f64,
    begin: f64,
    end: f64,
    logarithmic: bool,
}

impl Scale {
    fn linear(max_value: f64, begin: f64, end: f64) -> Scale {
        Scale { from: 0.0, to: max_value.max(1e-9), begin, end, logarithmic: false }
    }

    /// From the smallest to the largest value, or to the powers of ten around them.
    fn logarithmic(
        values: impl Iterator<Item = f64>,
        begin: f64,
        end: f64,
        whole_powers: bool,
    ) -> Scale {
        let (mut from, mut to) = (f64::MAX, f64::MIN);
        for value in values.map(|value| value.max(1e-6).log10()) {
            (from, to) = (from.min(value), to.max(value));
        }
        if whole_powers {
            (from, to) = (from.floor(), to.ceil());
        }
        // A single value is in the middle.
        if to - from < 1e-9 {
            (from, to) = (from - 0.5, to + 0.5);
        }
        Scale { from, to, begin, end, logarithmic: true }
    }

    fn position(&self, value: f64) -> f64 {
        let value = if self.logarithmic { value.max(1e-6).log10() } else { value };
        self.begin + (value - self.from) / (self.to - self.from) * (self.end - self.begin)
    }

    fn ticks(&self) -> Vec<f64> {
        if self.logarithmic {
            let powers = self.from.ceil() as i32..=self.to.floor() as i32;
            return powers.map(|power| 10_f64.powi(power)).collect();
        }
        let rough = self.to / 5.0;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|times| times * power);
        let step = step.into_iter().find(|step| *step >= rough).unwrap_or(power * 10.0);
        (0..=5).map(|number| f64::from(number) * step).filter(|tick| *tick <= self.to).collect()
    }
}

fn open(title: &str, unit: &str, height: f64) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" role=\"img\" {FONT}><title>{}</title>{STYLE}<rect class=\"card\" x=\"0.5\" \
         y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"6\"/>",
        escaped(title),
        WIDTH - 1.0,
        height - 1.0
    );
    text(&mut svg, "text", "start", (20.0, 28.0), 16, title);
    text(&mut svg, "soft", "start", (20.0, 46.0), 12, unit);
    svg
}

fn text(svg: &mut String, class: &str, anchor: &str, (x, y): (f64, f64), size: u32, words: &str) {
    let _ = write!(
        svg,
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" \
         text-anchor=\"{anchor}\">{}</text>",
        escaped(words)
    );
}

fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// An axis label: `250k`, `3M`, `0.1`.
fn short(value: f64) -> String {
    let (value, unit) = match value {
        value if value >= 1e6 => (value / 1e6, "M"),
        value if value >= 1e3 && value % 100.0 == 0.0 => (value / 1e3, "k"),
        value => (value, ""),
    };
    format!("{}{unit}", (value * 100.0).round() / 100.0)
}

/// A number with thousands separators.
pub fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}
