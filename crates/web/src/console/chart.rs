//! Charts as SVG, rendered on the server: bars with a line, sparklines and share bars.
//!
//! The stylesheet defines the colors by class. Every chart has a title and a text for screen
//! readers; each group of bars can be focused with the keyboard and has a label with its values,
//! which is visible on hover, focus and touch. At first that of the newest group is visible.

use std::fmt::Write;

use panji_api::locale::html::escape_html;

use super::language::t;

/// The size of a drawing; the page scales it.
#[derive(Clone, Copy)]
pub struct Size {
    pub width: f64,
    pub height: f64,
}

const WIDE: Size = Size { width: 720.0, height: 236.0 };
/// The width of a character of the axis labels.
const CHARACTER_WIDTH: f64 = 6.4;
const RIGHT: f64 = 8.0;
/// Above the bars is the line with the values.
const TOP: f64 = 28.0;
const VALUES_BASELINE: f64 = 12.0;
const BOTTOM: f64 = 26.0;
const MAX_TICKS: f64 = 5.0;
const MAX_LABELS: usize = 10;
/// With more groups, the groups are not focusable: too many tab stops are a burden.
const MAX_FOCUSABLE: usize = 12;

pub struct Series {
    pub name: &'static str,
    /// The CSS class, which sets the color.
    pub class: &'static str,
    /// One value per label; none if it is unknown.
    pub values: Vec<Option<f64>>,
}

pub struct Chart {
    pub title: String,
    /// The labels of the x axis, from left to right.
    pub labels: Vec<String>,
    pub bars: Vec<Series>,
    /// Whether bars are stacked, not side by side.
    pub stacked: bool,
    pub line: Option<Series>,
    /// Formats a value.
    pub format: fn(f64) -> String,
}

/// Maps values to coordinates.
struct Scale {
    low: f64,
    high: f64,
    step: f64,
    left: f64,
    slot: f64,
    size: Size,
    /// The group whose values are visible at first.
    newest: usize,
}

impl Chart {
    pub fn svg(&self) -> String {
        self.draw("chart", &self.scale(WIDE))
    }

    /// The same at another size.
    pub fn svg_of_size(&self, size: Size) -> String {
        self.draw("chart", &self.scale(size))
    }

    /// The last groups in reverse order, for a phone: small, and the newest first.
    pub fn newest_first_svg(&self, groups: usize, size: Size) -> String {
        let skip = self.labels.len().saturating_sub(groups);
        let reversed = |series: &Series| Series {
            name: series.name,
            class: series.class,
            values: series.values.iter().skip(skip).rev().copied().collect(),
        };
        let chart = Chart {
            title: self.title.clone(),
            labels: self.labels.iter().skip(skip).rev().cloned().collect(),
            bars: self.bars.iter().map(reversed).collect(),
            stacked: self.stacked,
            line: self.line.as_ref().map(reversed),
            format: self.format,
        };
        let scale = Scale { newest: 0, ..chart.scale(size) };
        chart.draw("chart small-chart", &scale)
    }

    fn draw(&self, class: &str, scale: &Scale) -> String {
        let mut svg = format!(
            "<svg class=\"{class}\" viewBox=\"0 0 {} {}\" role=\"{}\" aria-label=\"{}\">",
            scale.size.width,
            scale.size.height,
            if self.focusable() { "list" } else { "img" },
            escape_html(&format!("{}. {}", self.title, self.summary())),
        );
        self.draw_grid(scale, &mut svg);
        for index in 0..self.labels.len() {
            self.draw_group(scale, index, &mut svg);
        }
        if let Some(line) = &self.line {
            draw_line(scale, line, &mut svg);
        }
        svg.push_str("</svg>");
        svg
    }

    /// The series with their classes, for a legend.
    pub fn legend(&self) -> Vec<(&'static str, &'static str)> {
        self.bars.iter().chain(&self.line).map(|series| (series.class, series.name)).collect()
    }

    fn focusable(&self) -> bool {
        (1..=MAX_FOCUSABLE).contains(&self.labels.len())
    }

    fn summary(&self) -> String {
        let texts = (0..self.labels.len()).map(|index| self.text_of(index));
        if self.labels.len() > MAX_FOCUSABLE {
            return t("The table below lists the values.").to_owned();
        }
        texts.collect::<Vec<_>>().join(". ")
    }

    fn text_of(&self, index: usize) -> String {
        let values = self.bars.iter().chain(&self.line).filter_map(|series| {
            let value = series.values.get(index).copied().flatten()?;
            Some(format!("{} {}", series.name, (self.format)(value)))
        });
        format!("{}: {}", self.labels[index], values.collect::<Vec<_>>().join(", "))
    }

    fn scale(&self, size: Size) -> Scale {
        let mut low: f64 = 0.0;
        let mut high: f64 = 0.0;
        for index in 0..self.labels.len() {
            let at = |series: &Series| series.values.get(index).copied().flatten().unwrap_or(0.0);
            let stack: f64 = self.bars.iter().map(at).sum();
            let single = self.bars.iter().chain(&self.line).map(at);
            for value in single.chain(self.stacked.then_some(stack)) {
                low = low.min(value);
                high = high.max(value);
            }
        }
        if low == high {
            high = 1.0;
        }
        let step = round_step((high - low) / MAX_TICKS);
        let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
        let left = self.label_width(low, high, step);
        let slot = (size.width - left - RIGHT) / self.labels.len().max(1) as f64;
        let newest = self.labels.len().saturating_sub(1);
        Scale { low, high, step, left, slot, size, newest }
    }

    /// The width of the labels of the y axis.
    fn label_width(&self, low: f64, high: f64, step: f64) -> f64 {
        let ticks = ((high - low) / step).round() as i64;
        let lengths =
            (0..=ticks).map(|tick| (self.format)(low + step * tick as f64).chars().count());
        lengths.max().unwrap_or(0) as f64 * CHARACTER_WIDTH + 20.0
    }

    fn draw_grid(&self, scale: &Scale, svg: &mut String) {
        let ticks = ((scale.high - scale.low) / scale.step).round() as i64;
        let left = scale.left;
        for tick in 0..=ticks {
            let value = scale.low + scale.step * tick as f64;
            let y = scale.y(value);
            let class = if value.abs() < scale.step / 2.0 { "axis" } else { "grid" };
            let text = escape_html(&(self.format)(value));
            let _ = write!(
                svg,
                "<line class=\"{class}\" x1=\"{left:.1}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                 <text class=\"beside\" x=\"{}\" y=\"{:.1}\" aria-hidden=\"true\">{text}</text>",
                scale.right(),
                left - 8.0,
                y + 4.0,
            );
        }
        let every = self.labels.len().div_ceil(MAX_LABELS).max(1);
        for (index, label) in self.labels.iter().enumerate().filter(|(i, _)| i % every == 0) {
            let _ = write!(
                svg,
                "<text class=\"below\" x=\"{:.1}\" y=\"{}\" aria-hidden=\"true\">{}</text>",
                scale.middle(index),
                scale.size.height - 8.0,
                escape_html(label),
            );
        }
    }

    /// The bars of one label.
    fn draw_group(&self, scale: &Scale, index: usize, svg: &mut String) {
        let text = escape_html(&self.text_of(index));
        let focus = if self.focusable() {
            format!(" role=\"listitem\" tabindex=\"0\" aria-label=\"{text}\"")
        } else {
            String::new()
        };
        let left = scale.left + scale.slot * index as f64;
        let _ = write!(
            svg,
            "<g class=\"group{}\"{focus}>\
             <text class=\"values\" x=\"{}\" y=\"{VALUES_BASELINE}\" aria-hidden=\"true\">{text}</text>\
             <rect class=\"reach\" x=\"{left:.1}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{:.1}\"/>",
            if index == scale.newest { " newest" } else { "" },
            scale.right(),
            scale.slot,
            scale.size.height - TOP - BOTTOM,
        );
        let share = if self.stacked { 1.0 } else { self.bars.len().max(1) as f64 };
        let width = (scale.slot * 0.7 / share).min(40.0);
        let first = scale.middle(index) - width * share / 2.0;
        let mut stack_top = 0.0;
        for (position, series) in self.bars.iter().enumerate() {
            let Some(value) = series.values.get(index).copied().flatten() else { continue };
            let (from, to) =
                if self.stacked { (stack_top, stack_top + value) } else { (0.0, value) };
            stack_top += value;
            let (top, foot) = (scale.y(from.max(to)), scale.y(from.min(to)));
            let x = if self.stacked { first } else { first + width * position as f64 };
            let _ = write!(
                svg,
                "<rect class=\"{}\" x=\"{x:.1}\" y=\"{top:.1}\" width=\"{:.1}\" \
                 height=\"{:.1}\"/>",
                series.class,
                (width - 1.0).max(1.0),
                foot - top,
            );
        }
        svg.push_str("</g>");
    }
}

impl Scale {
    fn y(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        TOP + (self.size.height - TOP - BOTTOM) * (1.0 - share)
    }

    fn right(&self) -> f64 {
        self.size.width - RIGHT
    }

    fn middle(&self, index: usize) -> f64 {
        self.left + self.slot * (index as f64 + 0.5)
    }
}

fn draw_line(scale: &Scale, line: &Series, svg: &mut String) {
    let points: Vec<(f64, f64)> = line
        .values
        .iter()
        .enumerate()
        .filter_map(|(index, value)| Some((scale.middle(index), scale.y((*value)?))))
        .collect();
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let _ = write!(
        svg,
        "<polyline class=\"{} line\" points=\"{}\" aria-hidden=\"true\"/>",
        line.class,
        path.join(" ")
    );
    for (x, y) in points {
        let _ = write!(
            svg,
            "<circle class=\"{} dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" aria-hidden=\"true\"/>",
            line.class
        );
    }
}

/// A small line without axes.
pub fn sparkline(title: &str, values: &[i64]) -> String {
    const WIDE: f64 = 160.0;
    const HIGH: f64 = 36.0;
    let top = values.iter().copied().max().unwrap_or(0).max(1) as f64;
    let step = (WIDE - 4.0) / (values.len().max(2) - 1) as f64;
    let at = |(index, value): (usize, &i64)| {
        let y = HIGH - 3.0 - (HIGH - 6.0) * (*value as f64 / top);
        format!("{:.1},{y:.1}", 2.0 + step * index as f64)
    };
    let points: Vec<String> = values.iter().enumerate().map(at).collect();
    let title = escape_html(title);
    format!(
        "<svg class=\"sparkline\" viewBox=\"0 0 {WIDE} {HIGH}\" role=\"img\" \
         aria-label=\"{title}\"><title>{title}</title><polyline points=\"{}\"/></svg>",
        points.join(" ")
    )
}

/// A bar for a table cell; its length is the share of `largest`.
pub fn share(part: i64, largest: i64) -> String {
    let width = 100.0 * part as f64 / largest.max(1) as f64;
    format!(
        "<svg class=\"share\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" \
         aria-hidden=\"true\"><rect width=\"{width:.1}\" height=\"8\"/></svg>"
    )
}

/// Rounds up to 1, 2 or 5 times a power of ten.
fn round_step(raw: f64) -> f64 {
    let power = 10f64.powf(raw.log10().floor());
    let digit = raw / power;
    let round = [1.0, 2.0, 5.0, 10.0].into_iter().find(|round| digit <= *round).unwrap_or(10.0);
    round * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(values: Vec<Option<f64>>) -> Chart {
        Chart {
            title: "Revenue & profit".into(),
            labels: (0..values.len()).map(|index| format!("year {index}")).collect(),
            bars: vec![Series { name: "revenue", class: "first", values }],
            stacked: false,
            line: None,
            format: |value| format!("{value}"),
        }
    }

    #[test]
    fn a_chart_has_labels_with_its_values_and_escapes_its_texts() {
        let svg = chart(vec![Some(12.0), None, Some(-3.0)]).svg();
        assert!(svg.contains("aria-label=\"year 0: revenue 12\""), "{svg}");
        assert!(svg.contains("Revenue &amp; profit"), "{svg}");
        assert_eq!(svg.matches("<rect class=\"first\"").count(), 2, "an unknown value has no bar");
        assert_eq!(svg.matches("role=\"listitem\"").count(), 3);
    }

    #[test]
    fn on_a_phone_the_newest_group_is_first_and_its_values_are_visible() {
        let size = Size { width: 340.0, height: 180.0 };
        let svg = chart(vec![Some(1.0), Some(2.0), Some(3.0)]).newest_first_svg(2, size);
        let (first, second) = (svg.find("aria-label=\"year 2"), svg.find("aria-label=\"year 1"));
        assert!(first < second && first.is_some(), "{svg}");
        assert!(!svg.contains("\"year 0"), "the oldest is left out: {svg}");
        assert!(svg.contains(
            "class=\"group newest\" role=\"listitem\" tabindex=\"0\" aria-label=\"year 2"
        ));
    }

    #[test]
    fn an_empty_chart_and_a_chart_of_many_days_are_rendered() {
        assert!(chart(vec![]).svg().contains("role=\"img\""));
        let many = chart((0..90).map(|day| Some(f64::from(day))).collect()).svg();
        assert!(!many.contains("tabindex"), "ninety tab stops are a burden");
        assert!(many.matches("class=\"below\"").count() <= MAX_LABELS);
        assert!(!chart(vec![Some(0.0)]).svg().contains("NaN"));
    }

    #[test]
    fn steps_are_round_numbers() {
        for (raw, round) in [(0.3, 0.5), (1.0, 1.0), (7.0, 10.0), (130.0, 200.0)] {
            assert!((round_step(raw) - round).abs() < 1e-9, "{raw}");
        }
    }

    #[test]
    fn a_sparkline_of_one_value_is_rendered() {
        assert!(!sparkline("calls", &[3]).contains("NaN"));
        assert!(!sparkline("calls", &[]).contains("NaN"));
    }
}
