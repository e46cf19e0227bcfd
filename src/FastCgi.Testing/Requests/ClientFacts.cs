using FastCgi.Client;
using Microsoft.AspNetCore.Http;

namespace FastCgi.Testing.Requests;

/// <summary>The parameters about the client and the application's mount point.</summary>
internal static class ClientFacts
{
    private const string PathBaseParameter = "ASPNETCORE_PATHBASE";

    /// <summary>The facts of <paramref name="options"/>. A null value removes a parameter.</summary>
    public static Dictionary<string, string?> Parameters(FastCgiTestClientOptions options)
    {
        var parameters = new Dictionary<string, string?>(StringComparer.Ordinal);
        AddIfPresent(parameters, "REMOTE_USER", options.RemoteUser);
        AddIfPresent(parameters, "AUTH_TYPE", options.AuthenticationType);
        AddIfPresent(parameters, PathBaseParameter, options.PathBase.Value);
        if (options.ClientCertificate is { } certificate)
        {
            parameters["SSL_CLIENT_CERT"] = certificate.ExportCertificatePem();
            parameters["SSL_CLIENT_VERIFY"] = "SUCCESS";
        }

        foreach ((string name, string? value) in options.Parameters)
        {
            parameters[name] = value;
        }

        return parameters;
    }

    /// <summary>Sets the application's mount point for one request.</summary>
    public static void SetPathBase(HttpRequestMessage request, PathString pathBase)
    {
        if (pathBase.HasValue)
        {
            request.Options.Set(FastCgiRequestOptions.PathBase, pathBase.Value!);
            request.Options.Set(
                FastCgiRequestOptions.Parameters,
                new Dictionary<string, string?>(StringComparer.Ordinal) { [PathBaseParameter] = pathBase.Value });
        }
    }

    private static void AddIfPresent(Dictionary<string, string?> parameters, string name, string? value)
    {
        if (!string.IsNullOrEmpty(value))
        {
            parameters[name] = value;
        }
    }
}
