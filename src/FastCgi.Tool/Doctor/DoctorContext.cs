using System.Runtime.Versioning;
using FastCgi.Tool.Configuration;

namespace FastCgi.Tool.Doctor;

/// <summary>Facts for the rules beside the web server's files.</summary>
/// <param name="MaxRequestBodySize">The application's own limit; null if unknown.</param>
/// <param name="Endpoints">The application's endpoints in its settings, in nginx's form.</param>
/// <param name="Applications">
/// Results of the probe, by the endpoint (<see cref="PassPoint.EndpointOf"/>); empty without a probe.
/// </param>
internal sealed record DoctorContext(
    BodyLimit? MaxRequestBodySize,
    IReadOnlyList<string> Endpoints,
    IReadOnlyDictionary<string, ProbedApplication> Applications)
{
    private readonly Dictionary<(string, string?), SystemAccount?> _accounts = [];

    /// <summary>A user of this machine, looked up once; null if there is none.</summary>
    [SupportedOSPlatform("linux")]
    public SystemAccount? Account(string name, string? group)
    {
        if (!_accounts.TryGetValue((name, group), out SystemAccount? account))
        {
            account = SystemAccount.Find(name, group);
            _accounts.Add((name, group), account);
        }

        return account;
    }
}
