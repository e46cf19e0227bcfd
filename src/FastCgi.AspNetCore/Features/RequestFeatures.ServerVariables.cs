using System.Collections.Frozen;
using FastCgi.AspNetCore.Cgi;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Features;

// The params that say more than HttpRequest and ConnectionInfo do. An empty one reads as undefined, as web servers send
// those for what they lack.
internal sealed partial class RequestFeatures : IServerVariablesFeature
{
    // ASP.NET Core has a value of its own for each of these and for each header, which middleware may have changed.
    // Rewrite rules ask for the variable first: a raw one would open what a rule guards on other servers.
    private static readonly FrozenSet<string> _ownValues = FrozenSet.Create(
        StringComparer.OrdinalIgnoreCase,
        "REQUEST_METHOD", "REQUEST_SCHEME", "HTTPS", "SERVER_PROTOCOL", "SERVER_NAME",
        "REQUEST_URI", "UNENCODED_URL", "URL", "DOCUMENT_URI", "SCRIPT_NAME", "PATH_INFO", "QUERY_STRING",
        "REQUEST_FILENAME", "CONTENT_LENGTH", "CONTENT_TYPE",
        "REMOTE_ADDR", "REMOTE_PORT", "SERVER_ADDR", "SERVER_PORT", "LOCAL_ADDR", "LOCAL_PORT");

    private Dictionary<string, string?>? _setServerVariables;

    string? IServerVariablesFeature.this[string variableName]
    {
        get
        {
            ArgumentException.ThrowIfNullOrEmpty(variableName);
            return _setServerVariables is not null && _setServerVariables.TryGetValue(variableName, out var value)
                ? value
                : _request.Read(
                    static (cgi, name) => _ownValues.Contains(name) || ClientMadeParam.IsName(name)
                        ? null
                        : cgi.Params.GetServerVariable(name),
                    variableName);
        }
        set
        {
            ArgumentException.ThrowIfNullOrEmpty(variableName);
            ThrowIfOver();
            _setServerVariables ??= new Dictionary<string, string?>(StringComparer.OrdinalIgnoreCase);
            _setServerVariables[variableName] = value;
        }
    }
}
