//! The fields of a hit and of a point, and their names in every format.

use clap::ValueEnum;

/// A fact about a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Field {
    /// The position on the ray, in units of its direction.
    T,
    /// The distance from the origin of the ray; negative behind it.
    Distance,
    /// The point of the triangle.
    Point,
    /// The unit normal by the winding, also where it points away from the ray.
    Normal,
    /// The unit normal interpolated from the corners.
    InterpolatedNormal,
    /// The side from which the ray comes: front or back.
    Side,
    /// The part of the triangle that a ball touches, of a cast with a radius: face, edge 0 or vertex 0.
    Feature,
    /// The weight of the second corner.
    W1,
    /// The weight of the third corner.
    W2,
    /// The index of the instance in the scene.
    Instance,
    /// The names from the outermost parent to the instance.
    Path,
    /// The index of the triangle in its mesh.
    Triangle,
    /// The indices of the corners in the file, from 0.
    Vertices,
    /// The index of the polygon in the file, from 0.
    Polygon,
    /// The line of the polygon in the file, from 1.
    Line,
    /// The object of the polygon.
    Object,
    /// The groups of the polygon.
    Group,
    /// The material of the polygon.
    Material,
    /// The diffuse colour of the material, red, green and blue from 0 to 1.
    Colour,
    /// The interpolated texture coordinates.
    Texture,
}

impl Field {
    /// The name in flags, JSON and text.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Point => "point",
            Self::Normal => "normal",
            Self::InterpolatedNormal => "interpolated_normal",
            Self::Vertices => "vertices",
            Self::Colour => "colour",
            Self::Texture => "texture",
            _ => self.columns()[0],
        }
    }

    /// The columns of CSV.
    pub(crate) fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Point => &["x", "y", "z"],
            Self::Normal => &["nx", "ny", "nz"],
            Self::InterpolatedNormal => &["inx", "iny", "inz"],
            Self::Vertices => &["vertex_0", "vertex_1", "vertex_2"],
            Self::Colour => &["red", "green", "blue"],
            Self::Texture => &["texture_u", "texture_v"],
            Self::T => &["t"],
            Self::Distance => &["distance"],
            Self::Side => &["side"],
            Self::Feature => &["feature"],
            Self::W1 => &["w1"],
            Self::W2 => &["w2"],
            Self::Instance => &["instance"],
            Self::Path => &["path"],
            Self::Triangle => &["triangle"],
            Self::Polygon => &["polygon"],
            Self::Line => &["line"],
            Self::Object => &["object"],
            Self::Group => &["group"],
            Self::Material => &["material"],
        }
    }
}

/// A fact about a point of `points`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum PointField {
    /// The point, in single precision.
    Position,
    /// Whether the point is inside.
    Inside,
    Distance,
    /// The distance, negative inside.
    SignedDistance,
    /// The closest point of the surface.
    Closest,
    /// The weight of the second corner at the closest point.
    W1,
    /// The weight of the third corner.
    W2,
    Triangle,
    Vertices,
    Polygon,
    Object,
    Group,
    Material,
}

impl PointField {
    /// The name in flags, JSON and text.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Closest => "closest",
            Self::Vertices => "vertices",
            _ => self.columns()[0],
        }
    }

    /// The columns of CSV.
    pub(crate) fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Position => &["x", "y", "z"],
            Self::Inside => &["inside"],
            Self::Distance => &["distance"],
            Self::SignedDistance => &["signed_distance"],
            Self::Closest => &["closest_x", "closest_y", "closest_z"],
            Self::W1 => &["w1"],
            Self::W2 => &["w2"],
            Self::Triangle => &["triangle"],
            Self::Vertices => &["vertex_0", "vertex_1", "vertex_2"],
            Self::Polygon => &["polygon"],
            Self::Object => &["object"],
            Self::Group => &["group"],
            Self::Material => &["material"],
        }
    }
}

/// The fields of `--fields`, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldList<F = Field>(pub(crate) Vec<F>);

/// Parses names separated by commas, or `all`.
pub(crate) fn field_list<F: ValueEnum + PartialEq + Copy>(
    text: &str,
) -> Result<FieldList<F>, String> {
    if text == "all" {
        return Ok(FieldList(F::value_variants().to_vec()));
    }
    let name_of = |field: &F| {
        field.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    };
    let mut fields = Vec::new();
    for name in text.split(',').map(str::trim) {
        let known = F::value_variants().iter().find(|field| name_of(field) == name);
        let Some(&field) = known else {
            let names: Vec<String> = F::value_variants().iter().map(name_of).collect();
            return Err(format!("found `{name}`; expected all, or some of {}", names.join(",")));
        };
        if fields.contains(&field) {
            return Err(format!("found `{name}` twice; expected each field once"));
        }
        fields.push(field);
    }
    Ok(FieldList(fields))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_known_fields_once() {
        let field_list = field_list::<Field>;
        assert_eq!(field_list("t, point").unwrap().0, [Field::T, Field::Point]);
        assert_eq!(field_list("all").unwrap().0, Field::value_variants());
        assert!(field_list("t,u").unwrap_err().contains("found `u`; expected all, or some of t,"));
        assert!(field_list("t,t").unwrap_err().contains("twice"));
        assert!(field_list("").is_err());
    }

    #[test]
    fn the_name_of_a_field_is_the_value_of_the_flag() {
        for field in Field::value_variants() {
            assert_eq!(field.to_possible_value().unwrap().get_name(), field.name());
        }
        for field in PointField::value_variants() {
            assert_eq!(field.to_possible_value().unwrap().get_name(), field.name());
        }
    }
}
