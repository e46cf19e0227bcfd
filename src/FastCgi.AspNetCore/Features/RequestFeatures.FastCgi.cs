using System.Collections.Frozen;
using FastCgi.AspNetCore.Cgi;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Features;

// What FastCGI knows of a request beyond HTTP.
internal sealed partial class RequestFeatures : IFastCgiRequestFeature, IServerVariablesFeature
{
    // Set: the server sends the files of this response itself.
    private bool _keepsFiles;

    // ASP.NET Core has a value of its own for each of these and for each header, which middleware may have changed.
    // Rewrite rules ask for the variable first: a raw one would open what a rule guards on other servers.
    private static readonly FrozenSet<string> _ownValues = FrozenSet.Create(
        StringComparer.OrdinalIgnoreCase,
        "REQUEST_METHOD", "REQUEST_SCHEME", "HTTPS", "SERVER_PROTOCOL", "SERVER_NAME",
        "REQUEST_URI", "UNENCODED_URL", "URL", "DOCUMENT_URI", "SCRIPT_NAME", "PATH_INFO", "QUERY_STRING",
        "REQUEST_FILENAME", "CONTENT_LENGTH", "CONTENT_TYPE",
        "REMOTE_ADDR", "REMOTE_PORT", "SERVER_ADDR", "SERVER_PORT", "LOCAL_ADDR", "LOCAL_PORT");

    private Dictionary<string, string?>? _setServerVariables;

    FastCgiEndpointProtocol IFastCgiRequestFeature.Protocol => Control.Protocol;

    FastCgiRole IFastCgiRequestFeature.Role => Control.Role;

    int IFastCgiRequestFeature.RequestId => Control.RequestId;

    bool IFastCgiRequestFeature.KeepConnection => Control.KeepConnection;

    bool IFastCgiRequestFeature.AllowFileHandover
    {
        get
        {
            ThrowIfOver();
            return AllowsFileHandover;
        }
        set
        {
            ThrowIfStarted("AllowFileHandover");
            _keepsFiles = !value;
        }
    }

    /// <summary>The application leaves its files to the web server.</summary>
    internal bool AllowsFileHandover => !_keepsFiles;

    string IFastCgiRequestFeature.ConnectionId => Control.ConnectionId;

    int IFastCgiRequestFeature.ParameterCount => _request.Read(static cgi => cgi.Params.Count);

    ReadOnlySpan<byte> IFastCgiRequestFeature.GetParameterName(int index)
    {
        ThrowIfNoParam(index);
        return _request.Read(static (cgi, place) => cgi.Params.NameAt(place), index);
    }

    ReadOnlySpan<byte> IFastCgiRequestFeature.GetParameterValue(int index)
    {
        ThrowIfNoParam(index);
        return _request.Read(static (cgi, place) => cgi.Params.ValueAt(place), index);
    }

    bool IFastCgiRequestFeature.TryGetParameter(string name, out ReadOnlySpan<byte> value)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        value = _request.Read(static (cgi, name) => cgi.Params.GetBytes(name), name);
        return !value.IsEmpty;
    }

    ValueTask IFastCgiRequestFeature.WriteErrorAsync(ReadOnlyMemory<byte> text, CancellationToken cancellationToken)
        => Control.WriteErrorAsync(text, cancellationToken);

    private void ThrowIfNoParam(int index)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(index);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(
            index, _request.Read(static cgi => cgi.Params.Count));
    }

    // The params that say more than HttpRequest and ConnectionInfo do. An empty one reads as undefined, as web servers
    // send those for what they lack.
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
