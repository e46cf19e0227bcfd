namespace FastCgi.AspNetCore.Hosting.Configuration;

/// <summary>Kestrel's settings of an application, for the notices at the start.</summary>
/// <param name="Taken">Settings that hold for this server too.</param>
/// <param name="Ignored">Settings that this server does not have.</param>
/// <param name="Endpoints">Not listened on here.</param>
/// <param name="Failures">What the application's code threw.</param>
internal sealed record KestrelSettings(
    IReadOnlyList<KestrelSetting> Taken,
    IReadOnlyList<string> Ignored,
    IReadOnlyList<string> Endpoints,
    IReadOnlyList<Exception> Failures);
