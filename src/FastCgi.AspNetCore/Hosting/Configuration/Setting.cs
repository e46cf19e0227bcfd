using System.Numerics;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace FastCgi.AspNetCore.Hosting.Configuration;

/// <summary>
/// One configuration value, read as the required type. Uses no binder, so it needs no reflection, and every error names
/// the key, the value and the accepted forms.
/// </summary>
internal readonly struct Setting(IConfigurationSection section)
{
    private const int HighestMode = 0b111_111_111;
    private const string NoneAccepted = "null (no limit)";
    private const string DataRateAccepted =
        "a section with BytesPerSecond (at least 1) and GracePeriod (more than a second), or " + NoneAccepted;

    /// <summary>Treats null and empty alike, because sources differ in their reading of a JSON null.</summary>
    private string Text => section.Value ?? "";

    private IEnumerable<IConfigurationSection> Children => section.GetChildren();

    private bool IsNone => Text.Length == 0 || Text.Equals("null", StringComparison.OrdinalIgnoreCase);

    public bool Boolean() =>
        bool.TryParse(Scalar(), out bool value) ? value : throw Invalid("'true' or 'false'");

    public int Integer() => WholeNumber<int>("a whole number");

    public int? IntegerOrNone() => IsNoneScalar() ? null : Integer();

    public long? LongOrNone() =>
        IsNoneScalar() ? null : WholeNumber<long>($"a whole number or {NoneAccepted}");

    public TimeSpan Duration() => DurationOrNone() ?? Timeout.InfiniteTimeSpan;

    public TimeSpan? DurationOrNone()
    {
        if (IsNoneScalar())
        {
            return null;
        }

        // TimeSpan reads "30" as thirty days, and "24:00:00" as 24 days. The author means seconds or hours.
        return Text.Contains(':', StringComparison.Ordinal)
            && TimeSpan.TryParse(Text, CultureInfo.InvariantCulture, out TimeSpan value)
            && (value.Days == 0 || Text.Contains('.', StringComparison.Ordinal) || Text.AsSpan().Count(':') > 2)
            ? value
            : throw Invalid(
                "a time as hh:mm:ss with at most 23 hours (00:00:30 are thirty seconds), or d.hh:mm:ss (1.00:00:00 " +
                $"is a day), or {NoneAccepted}");
    }

    /// <summary>A section with BytesPerSecond and GracePeriod; missing ones are <paramref name="usual"/>.</summary>
    public MinDataRate? DataRateOrNone(MinDataRate? usual)
    {
        RequireOneForm();
        if (!Children.Any())
        {
            return IsNone ? null : throw Invalid(DataRateAccepted);
        }

        double rate = usual?.BytesPerSecond ?? 240;
        TimeSpan grace = usual?.GracePeriod ?? TimeSpan.FromSeconds(5);
        foreach (IConfigurationSection child in Children)
        {
            var value = new Setting(child);
            switch (child.Key.ToUpperInvariant())
            {
                case "BYTESPERSECOND":
                    rate = value.Integer();
                    break;
                case "GRACEPERIOD":
                    grace = value.Duration();
                    break;
                default:
                    throw value.Invalid(DataRateAccepted);
            }
        }

        try
        {
            return new MinDataRate(rate, grace);
        }
        catch (ArgumentOutOfRangeException exception)
        {
            throw Invalid(DataRateAccepted, exception);
        }
    }

    public string? TextOrNone() => IsNoneScalar() ? null : Text;

    public TEnum OneOf<TEnum>()
        where TEnum : struct, Enum
    {
        string text = Scalar();
        string[] names = Enum.GetNames<TEnum>();
        return Array.Find(names, name => name.Equals(text, StringComparison.OrdinalIgnoreCase)) is { } found
            ? Enum.Parse<TEnum>(found)
            : throw Invalid(string.Join(", ", names));
    }

    /// <summary>Reads an octal mode, as chmod does, or the names of the permissions.</summary>
    public UnixFileMode? ModeOrNone() =>
        IsNoneScalar() ? null
        : char.IsAsciiLetter(Text[0]) ? NamedMode()
        : OctalMode();

    private T WholeNumber<T>(string accepted)
        where T : INumber<T> =>
        T.TryParse(Scalar(), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out T? value)
            ? value
            : throw Invalid(accepted);

    private UnixFileMode OctalMode()
    {
        int mode = 0;
        foreach (char digit in Text)
        {
            mode = digit is >= '0' and <= '7' && mode <= HighestMode
                ? (mode * 8) + (digit - '0')
                : throw InvalidMode();
        }

        return mode <= HighestMode ? (UnixFileMode)mode : throw InvalidMode();
    }

    /// <summary>Reads an array, or one text with commas.</summary>
    public IEnumerable<string> List()
    {
        RequireOneForm();
        string[] items = [.. Children.Select(static child => child.Value ?? "")];
        return items.Length > 0
            ? items
            : IsNone ? [] : Text.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
    }

    /// <summary>Reads addresses and CIDR ranges, in the forms of <see cref="List"/>.</summary>
    public IEnumerable<IPNetwork> Networks()
    {
        foreach (string entry in List())
        {
            yield return FastCgiAddress.TryParseNetwork(entry, out IPNetwork network)
                ? network
                : throw Invalid($"a list whose entries are each {FastCgiAddress.AcceptedNetwork}; '{entry}' is none");
        }
    }

    /// <summary>The keys below this one.</summary>
    public IConfigurationSection Section()
    {
        RequireOneForm();
        return IsNone ? section : throw Invalid("a section with keys of its own");
    }

    public InvalidOperationException Invalid(string accepted, Exception? inner = null) => new(
        $"The configuration value {section.Path} = '{Text}' cannot be used. Accepted: {accepted}.", inner);

    // Enum.TryParse alone would also accept decimal numbers.
    private UnixFileMode NamedMode() =>
        Text.Split(',', StringSplitOptions.TrimEntries).All(static name => char.IsAsciiLetter(name.FirstOrDefault()))
        && Enum.TryParse(Text, ignoreCase: true, out UnixFileMode mode)
        && (int)mode <= HighestMode
            ? mode
            : throw InvalidMode();

    private InvalidOperationException InvalidMode() => Invalid(
        "an octal mode from 0 to 777, for instance 0660, or names, for instance 'UserRead, UserWrite, GroupRead, " +
        "GroupWrite'");

    private string Scalar()
    {
        RequireOneForm();
        return Children.Any() ? throw Invalid("one value, not a section or an array") : Text;
    }

    /// <summary>
    /// Refuses a text in one source with keys below it in another: neither replaces the other, so the text would be
    /// ignored. Sources write an empty array or section as an empty text.
    /// </summary>
    private void RequireOneForm()
    {
        if (Text.Length > 0 && Children.FirstOrDefault() is { } child)
        {
            throw Invalid($"this text, or keys below it, not both. There is also {child.Path} = '{child.Value}'");
        }
    }

    private bool IsNoneScalar() => Scalar().Length == 0 || IsNone;
}
