using System.Collections.Frozen;
using FastCgi.AspNetCore.Cgi;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Requests;

// The properties of a request that FastCGI has beyond HTTP.
internal sealed partial class RequestFeatures : IFastCgiRequestFeature, IServerVariablesFeature
{
    // ASP.NET Core has its own value for each of these and for each header, which middleware may have changed. Rewrite
    // rules read the variable first: a raw value would open what a rule guards on other servers.
    private static readonly FrozenSet<string> _ownValues = FrozenSet.Create(
        StringComparer.OrdinalIgnoreCase,
        "REQUEST_METHOD", "REQUEST_SCHEME", "HTTPS", "SERVER_PROTOCOL", "SERVER_NAME",
        "REQUEST_URI", "UNENCODED_URL", "URL", "DOCUMENT_URI", "SCRIPT_NAME", "PATH_INFO", "QUERY_STRING",
        "REQUEST_FILENAME", "CONTENT_LENGTH", "CONTENT_TYPE",
        "REMOTE_ADDR", "REMOTE_PORT", "SERVER_ADDR", "SERVER_PORT", "LOCAL_ADDR", "LOCAL_PORT");

    private Dictionary<string, string?>? _setServerVariables;

    FastCgiEndpointProtocol IFastCgiRequestFeature.Protocol => Connection.HasRecords
        ? FastCgiEndpointProtocol.FastCgi
        : FastCgiEndpointProtocol.Scgi;

    FastCgiRole IFastCgiRequestFeature.Role => Living(_role);

    int IFastCgiRequestFeature.RequestId => Living(_requestId);

    bool IFastCgiRequestFeature.KeepConnection => Living(_keepConnection);

    bool IFastCgiRequestFeature.AllowFileHandover
    {
        get => Living(AllowsFileHandover);
        set
        {
            ThrowIfStarted("AllowFileHandover");
            AllowsFileHandover = value;
        }
    }

    /// <summary>True if the application leaves its files to the web server.</summary>
    internal bool AllowsFileHandover { get; private set; }

    string IFastCgiRequestFeature.ConnectionId => Connection.Id;

    int IFastCgiRequestFeature.ParameterCount => _cgi.Read(static cgi => cgi.Params.Count);

    ReadOnlySpan<byte> IFastCgiRequestFeature.GetParameterName(int index) =>
        _cgi.Read(static (cgi, place) => cgi.Params.NameAt(place), index);

    ReadOnlySpan<byte> IFastCgiRequestFeature.GetParameterValue(int index) =>
        _cgi.Read(static (cgi, place) => cgi.Params.ValueAt(place), index);

    bool IFastCgiRequestFeature.TryGetParameter(string name, out ReadOnlySpan<byte> value)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        value = _cgi.Read(static (cgi, name) => cgi.Params.GetBytes(name), name);
        return !value.IsEmpty;
    }

    ValueTask IFastCgiRequestFeature.WriteErrorAsync(
        ReadOnlyMemory<byte> text, CancellationToken cancellationToken) =>
        WriteErrorAsync(Response, text, cancellationToken);

    /// <summary>Sends STDERR records until the response has ended, if the protocol has records.</summary>
    private async ValueTask WriteErrorAsync(
        ApplicationResponse response, ReadOnlyMemory<byte> text, CancellationToken cancellationToken)
    {
        // Separate from the waits of the body: CancelPendingFlush must not end this one.
        OutputWaits? waits = null;
        while (_connection.HasRecords && !text.IsEmpty && response.IsOpen)
        {
            int count = RecordWriter.ContentFitting(text.Length);
            byte[] buffer = _request.Server.Buffers.Rent(count + FastCgiConstants.HeaderSize);
            RecordWriter.WriteHeader(buffer, RecordType.Stderr, _requestId, count);
            text.Span[..count].CopyTo(buffer.AsSpan(FastCgiConstants.HeaderSize));
            _request.Records.SendStderr(response, buffer, count + FastCgiConstants.HeaderSize);
            text = text[count..];
            if (_connection.Output.IsFull)
            {
                waits ??= new OutputWaits(_connection.Output, _connection);
                using var ending = CancellationTokenSource.CreateLinkedTokenSource(
                    cancellationToken, response.RequestAborted);
                await waits.WaitAsync(all: false, ending.Token).ConfigureAwait(false);
                cancellationToken.ThrowIfCancellationRequested();
            }
        }
    }

    // The params without a property in HttpRequest and ConnectionInfo. Empty ones read as undefined, because web
    // servers send empty params for missing values.
    string? IServerVariablesFeature.this[string variableName]
    {
        get
        {
            ArgumentException.ThrowIfNullOrEmpty(variableName);
            return _setServerVariables is not null && _setServerVariables.TryGetValue(variableName, out var value)
                ? value
                : _cgi.Read(
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
