using System.Globalization;

namespace FastCgi.TestKit;

/// <summary>The size of a run, from variables of the environment.</summary>
public static class RunSettings
{
    /// <summary>On the build machine a run has to repeat the one before.</summary>
    public static bool IsBuildMachine => Environment.GetEnvironmentVariable("CI") == "true";

    /// <summary>Where a fuzzer begins: anywhere by default.</summary>
    public static int Seed { get; } =
        Number("FASTCGI_FUZZ_SEED") ?? (IsBuildMachine ? 1 : Random.Shared.Next(1, 1_000_000_000));

    /// <summary>Null where it is not set; anything but a number above 0 is a mistake, and not the default.</summary>
    public static int? Number(string name) => Environment.GetEnvironmentVariable(name) switch
    {
        null or "" => null,
        var text when int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number) && number > 0 => number,
        var text => throw new InvalidOperationException($"{name} is \"{text}\", not a number above 0."),
    };
}
