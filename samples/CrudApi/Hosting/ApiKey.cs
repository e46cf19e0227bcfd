using System.Security.Cryptography;
using System.Text;
using CrudApiSample.Problems;
using Microsoft.Extensions.Options;

namespace CrudApiSample.Hosting;

internal static class ApiKey
{
    public const string Header = "X-API-Key";

    /// <summary>
    /// Lets only those at the marked endpoints who know the key of the configuration; without one, everybody.
    /// </summary>
    public static void UseApiKey(this WebApplication app)
    {
        var key = app.Services.GetRequiredService<IOptions<ApiOptions>>().Value.Key;
        if (string.IsNullOrEmpty(key))
        {
            return;
        }

        var expected = Hash(key);
        app.Use((context, next) =>
        {
            if (context.GetEndpoint()?.Metadata.GetMetadata<NeedsApiKey>() is null
                || CryptographicOperations.FixedTimeEquals(Hash(context.Request.Headers[Header].ToString()), expected))
            {
                return next(context);
            }

            context.Response.Headers.WWWAuthenticate = $"ApiKey realm=\"{Header}\"";
            var problem = Refuse.Problem(
                StatusCodes.Status401Unauthorized, $"The header {Header} has to carry the key.");
            return Results.Problem(problem).ExecuteAsync(context);
        });
    }

    // Hashes are of one length, so comparing them tells nothing about the key's.
    private static byte[] Hash(string key) => SHA256.HashData(Encoding.UTF8.GetBytes(key));
}
