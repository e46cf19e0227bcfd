using System.Globalization;
using System.Text;
using Microsoft.AspNetCore.SignalR;

namespace ChatSample;

/// <summary>What people may type. The page has the same limits, but a page can be changed by whoever shows it.</summary>
internal static class ChatText
{
    /// <summary>Characters (UTF-16) of a name or a room.</summary>
    public const int MaxNameLength = 32;

    /// <summary>Characters (UTF-16) of a message; at its longest in JSON it is below SignalR's limit of 32 KiB.</summary>
    public const int MaxMessageLength = 2000;

    public static string PersonName(string text) => Name(text, "Your name");

    public static string RoomName(string text) => Name(text, "The room's name");

    public static string Message(string text) => Checked(text, "A message", MaxMessageLength);

    /// <summary>
    /// On one line, and in the one form (NFKC) of all that look the same, so that nobody is taken for another. Refused
    /// is a character that cannot be seen or changes how others are shown. RFC 8266 has similar rules.
    /// </summary>
    private static string Name(string text, string what)
    {
        // Runes, because half of a surrogate pair has no form. The selector of coloured emoji may go.
        var runes = (text ?? "").EnumerateRunes().Where(static rune => rune.Value is not (0xFE0E or 0xFE0F));
        var normal = string.Concat(runes).Normalize(NormalizationForm.FormKC);
        var words = string.Concat(normal.EnumerateRunes().Select(static rune => IsSpace(rune) ? " " : rune.ToString()));
        var name = string.Join(' ', words.Split(' ', StringSplitOptions.RemoveEmptyEntries));
        return name.EnumerateRunes().All(static rune => rune.Value == ' ' || IsVisible(rune))
            ? Checked(name, what, MaxNameLength)
            : throw new HubException($"{what} has a character that cannot be shown.");
    }

    private static bool IsSpace(Rune rune) => Rune.GetUnicodeCategory(rune) == UnicodeCategory.SpaceSeparator;

    private static bool IsVisible(Rune rune) => Rune.GetUnicodeCategory(rune) switch
    {
        UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.PrivateUse or UnicodeCategory.Surrogate
            or UnicodeCategory.OtherNotAssigned or UnicodeCategory.SpaceSeparator or UnicodeCategory.LineSeparator
            or UnicodeCategory.ParagraphSeparator => false,
        // Letters, marks and a symbol without ink.
        _ => rune.Value is not (0x034F or 0x115F or 0x1160 or 0x17B4 or 0x17B5 or 0x2800 or 0x3164 or 0xFFA0
            or (>= 0x180B and <= 0x180F) or (>= 0xFE00 and <= 0xFE0F) or (>= 0xE0100 and <= 0xE01EF)),
    };

    private static string Checked(string? text, string what, int maxLength)
    {
        var trimmed = text?.Trim() ?? "";
        if (!trimmed.EnumerateRunes().Any(IsVisible))
        {
            throw new HubException($"{what} is empty.");
        }

        return trimmed.Length switch
        {
            var length when length > maxLength => throw new HubException(
                $"{what} has {length} characters; {maxLength} are allowed."),
            _ => trimmed,
        };
    }
}
