using System.Collections.Frozen;
using Microsoft.Extensions.Configuration.EnvironmentVariables;

namespace CrudApiSample.Hosting;

/// <summary>
/// Settings of PHP-CRUD-API. The sample has none of them, and a rule that is ignored would publish records.
/// </summary>
public static class MovedSettings
{
    private const string VariablePrefix = "PHP_CRUD_API_";

    private static readonly string[] _options =
    [
        "driver", "address", "port", "username", "password", "database", "command", "tables", "mapping",
        "geometrySrid", "middlewares", "controllers", "customControllers", "customOpenApiBuilders", "openApiBase",
        "cacheType", "cachePath", "cacheTime", "jsonOptions", "debug", "basePath",
    ];

    private static readonly string[] _middlewares =
    [
        "firewall", "sslRedirect", "cors", "xsrf", "ajaxOnly", "apiKeyAuth", "apiKeyDbAuth", "dbAuth", "wpAuth",
        "jwtAuth", "basicAuth", "reconnect", "authorization", "validation", "ipAddress", "sanitation",
        "multiTenancy", "pageLimits", "joinLimits", "textSearch", "customization", "json", "xml",
    ];

    private static readonly FrozenDictionary<string, string> _names =
        Names.ToFrozenDictionary(name => name, StringComparer.OrdinalIgnoreCase);

    /// <summary>The options and the middlewares, as they are written there.</summary>
    public static IEnumerable<string> Names => [.. _options, .. _middlewares];

    /// <summary>Throws for the first that the configuration has.</summary>
    public static void Refuse(IConfigurationRoot configuration)
    {
        foreach (var provider in configuration.Providers)
        {
            foreach (var key in provider.GetChildKeys([], parentPath: null).Distinct(StringComparer.OrdinalIgnoreCase))
            {
                if (Find(provider, key) is { } setting)
                {
                    throw new InvalidOperationException(
                        $"The setting {setting} is one of PHP-CRUD-API, and has no effect here: what it keeps from "
                        + "clients there would be public. Remove it; php-crud-api.md says what there is instead.");
                }
            }
        }
    }

    private static string? Find(IConfigurationProvider provider, string key)
    {
        if (key.StartsWith(VariablePrefix, StringComparison.OrdinalIgnoreCase))
        {
            return key;
        }

        var parts = key.Split('.', 2);
        if (!_names.TryGetValue(parts[0], out var name))
        {
            return null;
        }

        if (parts.Length > 1)
        {
            return $"{name}.{parts[1]}";
        }

        if (provider.TryGet(key, out var value) && !string.IsNullOrEmpty(value))
        {
            // Variables of the environment have such names for other reasons.
            return provider is EnvironmentVariablesConfigurationProvider ? null : name;
        }

        var inner = provider.GetChildKeys([], key).FirstOrDefault();
        return inner is not null && _middlewares.Contains(name) ? $"{name}.{inner}" : null;
    }
}
