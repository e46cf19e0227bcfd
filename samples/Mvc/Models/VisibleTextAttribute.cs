using System.ComponentModel.DataAnnotations;
using System.Globalization;
using System.Text;

namespace MvcSample.Models;

/// <summary>A text in which something can be seen. [Required] counts only white space as nothing.</summary>
[AttributeUsage(AttributeTargets.Property)]
internal sealed class VisibleTextAttribute : ValidationAttribute
{
    public override bool IsValid(object? value) =>
        value is not string { Length: > 0 } text || text.EnumerateRunes().Any(IsVisible);

    private static bool IsVisible(Rune rune) => Rune.GetUnicodeCategory(rune) switch
    {
        UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.PrivateUse or UnicodeCategory.Surrogate
            or UnicodeCategory.OtherNotAssigned or UnicodeCategory.SpaceSeparator or UnicodeCategory.LineSeparator
            or UnicodeCategory.ParagraphSeparator or UnicodeCategory.NonSpacingMark
            or UnicodeCategory.EnclosingMark => false,
        // Letters and a symbol without ink.
        _ => rune.Value is not (0x115F or 0x1160 or 0x2800 or 0x3164 or 0xFFA0),
    };
}
