using System.Diagnostics.CodeAnalysis;

/// <summary>
/// What the runtime calls before Main of a sample whose DOTNET_STARTUP_HOOKS names this assembly: it serves by Kestrel.
/// The name and the lack of a namespace are the runtime's rules.
/// </summary>
[SuppressMessage("Design", "CA1050", Justification = "The runtime looks for a class without a namespace.")]
internal static class StartupHook
{
    public static void Initialize() => KestrelInstead.Watch();
}
