//! Charts: bars and lines over years.

use panji_pdf::{Area, Color, Column, Document, Style};

use super::sheet::{FAINT, INK, LABEL, MUTED};
use crate::locale::amounts::short_rupees;

const TITLE: Style = Style::bold(9.0).colored(INK);
const TICK: Style = Style::regular(7.0).colored(MUTED);
/// The height of the title with the legend, and of the years below.
const HEAD: f32 = 38.0;
const FOOT: f32 = 14.0;
/// The width of the labels of the axis.
const AXIS: f32 = 52.0;
/// About as many lines behind the chart.
const TICKS: f64 = 4.0;

/// One line or one set of bars: a name, a color, and a value per year in rupees.
pub struct Series {
    pub name: &'static str,
    pub color: Color,
    pub values: Vec<Option<f64>>,
}

/// Where a chart is: its left edge, its width and its whole height.
#[derive(Clone, Copy)]
pub struct Frame {
    pub left: f32,
    pub width: f32,
    pub height: f32,
}

/// The values of the axis.
struct Scale {
    low: f64,
    high: f64,
    step: f64,
}

impl Scale {
    fn new(series: &[Series]) -> Scale {
        let values = || series.iter().flat_map(|series| series.values.iter().flatten().copied());
        let (low, high) = (values().fold(0.0, f64::min), values().fold(0.0, f64::max));
        let raw = ((high - low) / TICKS).max(1.0);
        let power = 10_f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|factor| factor * power);
        let step = step.into_iter().find(|step| *step >= raw).unwrap_or(raw);
        Scale {
            low: (low / step).floor() * step,
            high: ((high / step).ceil() * step).max(step),
            step,
        }
    }

    /// The distance from the top of a plot with this height.
    fn down(&self, value: f64, height: f32) -> f32 {
        ((self.high - value) / (self.high - self.low)) as f32 * height
    }

    fn ticks(&self) -> Vec<f64> {
        let count = ((self.high - self.low) / self.step).round() as i64;
        (0..=count).map(|number| self.low + number as f64 * self.step).collect()
    }
}

/// Grouped bars for each year.
pub fn bars(
    document: &mut Document,
    frame: Frame,
    title: &str,
    years: &[String],
    series: &[Series],
) {
    let (scale, plot) = prepare(document, frame, title, years, series);
    let slot = plot.width / years.len().max(1) as f32;
    let bar = (slot * 0.7 / series.len() as f32).min(16.0);
    let zero = scale.down(0.0, plot.height);
    let all = bar * series.len() as f32;
    for (at, series) in series.iter().enumerate() {
        for (year, value) in series.values.iter().enumerate() {
            let Some(value) = value else { continue };
            let down = scale.down(*value, plot.height);
            let (top, height) = if down < zero { (down, zero - down) } else { (zero, down - zero) };
            let middle = plot.left + slot * (year as f32 + 0.5);
            let left = middle - all / 2.0 + bar * at as f32;
            let area =
                Area { left, top: plot.top + top, width: bar - 1.0, height: height.max(0.6) };
            document.fill_area(area, series.color);
        }
    }
}

/// Lines with a point per year; a year without a value interrupts the line.
pub fn lines(
    document: &mut Document,
    frame: Frame,
    title: &str,
    years: &[String],
    series: &[Series],
) {
    let (scale, plot) = prepare(document, frame, title, years, series);
    let slot = plot.width / years.len().max(1) as f32;
    for series in series {
        let point = |(year, value): (usize, &Option<f64>)| {
            let x = plot.left + slot * (year as f32 + 0.5);
            value.map(|value| (x, plot.top + scale.down(value, plot.height)))
        };
        let points: Vec<_> = series.values.iter().enumerate().map(point).collect();
        for part in points.split(Option::is_none) {
            let part: Vec<_> = part.iter().flatten().copied().collect();
            document.stroke(&part, 1.6, series.color);
            for point in part {
                document.fill_disc(point, 2.2, series.color);
            }
        }
    }
}

/// Draws what all charts have: title, legend, axis and years. Returns the scale and the place of the plot.
fn prepare(
    document: &mut Document,
    frame: Frame,
    title: &str,
    years: &[String],
    series: &[Series],
) -> (Scale, Area) {
    let scale = Scale::new(series);
    let plot = Area {
        left: frame.left + AXIS,
        top: HEAD,
        width: frame.width - AXIS,
        height: frame.height - HEAD - FOOT,
    };
    let right = frame.left + frame.width;
    document.label(Column::left(frame.left, right), 0.0, TITLE, title);
    let mut left = frame.left;
    // A single series has the name of the chart.
    for series in series.iter().filter(|_| series.len() > 1) {
        document.fill_disc((left + 3.0, 22.0), 3.0, series.color);
        document.label(Column::left(left + 9.0, right), 16.0, LABEL, series.name);
        left += 9.0 + document.width_of(LABEL, series.name) + 12.0;
    }
    for tick in scale.ticks() {
        let down = plot.top + scale.down(tick, plot.height);
        let (width, color) = if tick == 0.0 { (0.8, MUTED) } else { (0.4, FAINT) };
        document.stroke(&[(plot.left, down), (right, down)], width, color);
        let label = Column::right(frame.left, plot.left - 5.0);
        document.label(label, down - 5.5, TICK, &short_rupees(tick));
    }
    let slot = plot.width / years.len().max(1) as f32;
    let widest = years.iter().map(|year| document.width_of(TICK, year)).fold(0.0, f32::max);
    // Where the labels would touch, only every other year has one, the newest always.
    let every = ((widest + 5.0) / slot.max(1.0)).ceil().max(1.0) as usize;
    for (at, year) in years.iter().enumerate() {
        if !(years.len() - 1 - at).is_multiple_of(every) {
            continue;
        }
        let middle = plot.left + slot * (at as f32 + 0.5);
        let half = document.width_of(TICK, year) / 2.0;
        let column = Column::left(middle - half, middle + half + 2.0);
        document.label(column, plot.top + plot.height + 3.0, TICK, year);
    }
    (scale, plot)
}
