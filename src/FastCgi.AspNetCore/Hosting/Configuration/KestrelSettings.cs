namespace FastCgi.AspNetCore.Hosting.Configuration;

/// <summary>What an application has set for Kestrel, for the notices at the start.</summary>
/// <param name="Taken">Settings that hold for this server too.</param>
/// <param name="Endpoints">Not listened on here.</param>
/// <param name="Failures">What the application's code threw.</param>
internal sealed record KestrelSettings(
    IReadOnlyList<KestrelSetting> Taken, IReadOnlyList<string> Endpoints, IReadOnlyList<Exception> Failures);
