//! Drawing on the current page: rectangles, lines, discs and shapes. Distances are in points: from the left edge of
//! the page, and down from the position. Drawing does not move the position.

use pdf_writer::Content;
use pdf_writer::types::{LineCapStyle, LineJoinStyle};

use crate::document::Document;

/// The distance of the control points of a quarter of a circle, relative to its radius.
const CIRCLE: f32 = 0.5523;

/// A color; each part is from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Color {
    pub red: f32,
    pub green: f32,
    pub blue: f32,
}

impl Color {
    pub const BLACK: Color = Color::gray(0.0);
    pub const WHITE: Color = Color::gray(1.0);

    /// From 0, black, to 1, white.
    pub const fn gray(lightness: f32) -> Color {
        Color { red: lightness, green: lightness, blue: lightness }
    }

    /// Of three bytes, such as `0x2b4c9b`.
    pub const fn hex(bytes: u32) -> Color {
        Color {
            red: ((bytes >> 16) & 0xff) as f32 / 255.0,
            green: ((bytes >> 8) & 0xff) as f32 / 255.0,
            blue: (bytes & 0xff) as f32 / 255.0,
        }
    }
}

/// A point: from the left edge of the page, and down from the position.
pub type Point = (f32, f32);

/// A rectangle with its upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    pub left: f32,
    pub top: f32,
    pub width: f32,
    pub height: f32,
}

impl Document {
    /// A filled rectangle.
    pub fn fill_area(&mut self, area: Area, color: Color) {
        let (page, y) = self.canvas();
        set_fill(page, color);
        page.rect(area.left, y - area.top - area.height, area.width, area.height).fill_nonzero();
    }

    /// A filled rectangle with round corners.
    pub fn fill_round(&mut self, area: Area, radius: f32, color: Color) {
        let Area { left, top, width, height } = area;
        let radius = radius.min(width / 2.0).min(height / 2.0).max(0.0);
        let bend = radius * (1.0 - CIRCLE);
        let (page, y) = self.canvas();
        let (right, upper, lower) = (left + width, y - top, y - top - height);
        set_fill(page, color);
        page.move_to(left + radius, upper).line_to(right - radius, upper);
        page.cubic_to(right - bend, upper, right, upper - bend, right, upper - radius);
        page.line_to(right, lower + radius);
        page.cubic_to(right, lower + bend, right - bend, lower, right - radius, lower);
        page.line_to(left + radius, lower);
        page.cubic_to(left + bend, lower, left, lower + bend, left, lower + radius);
        page.line_to(left, upper - radius);
        page.cubic_to(left, upper - bend, left + bend, upper, left + radius, upper);
        page.close_path().fill_nonzero();
    }

    /// A filled disc.
    pub fn fill_disc(&mut self, (x, down): Point, radius: f32, color: Color) {
        let (left, top) = (x - radius, down - radius);
        self.fill_round(
            Area { left, top, width: radius * 2.0, height: radius * 2.0 },
            radius,
            color,
        );
    }

    /// A line through points.
    pub fn stroke(&mut self, points: &[Point], width: f32, color: Color) {
        let [first, rest @ ..] = points else { return };
        let (page, y) = self.canvas();
        page.set_line_width(width).set_stroke_rgb(color.red, color.green, color.blue);
        page.set_line_cap(LineCapStyle::RoundCap).set_line_join(LineJoinStyle::RoundJoin);
        page.move_to(first.0, y - first.1);
        for (x, down) in rest {
            page.line_to(*x, y - down);
        }
        page.stroke();
    }

    /// A curve between two points that leaves and arrives horizontally.
    pub fn stroke_curve(&mut self, from: Point, to: Point, width: f32, color: Color) {
        self.stroke_bow(from, to, (from.0 + to.0) / 2.0, width, color);
    }

    /// A curve between two points that leaves and arrives horizontally, drawn towards `middle`.
    pub fn stroke_bow(&mut self, from: Point, to: Point, middle: f32, width: f32, color: Color) {
        let (page, y) = self.canvas();
        page.set_line_width(width).set_stroke_rgb(color.red, color.green, color.blue);
        page.set_line_cap(LineCapStyle::RoundCap);
        page.move_to(from.0, y - from.1);
        page.cubic_to(middle, y - from.1, middle, y - to.1, to.0, y - to.1).stroke();
    }

    /// A filled shape with these corners.
    pub fn fill_shape(&mut self, points: &[Point], color: Color) {
        let [first, rest @ ..] = points else { return };
        let (page, y) = self.canvas();
        set_fill(page, color);
        page.move_to(first.0, y - first.1);
        for (x, down) in rest {
            page.line_to(*x, y - down);
        }
        page.close_path().fill_nonzero();
    }
}

fn set_fill(page: &mut Content, color: Color) {
    page.set_fill_rgb(color.red, color.green, color.blue);
}
