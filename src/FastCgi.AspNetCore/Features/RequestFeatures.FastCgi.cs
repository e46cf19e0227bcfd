using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Features;

// What FastCGI knows of a request beyond HTTP.
internal sealed partial class RequestFeatures : IFastCgiRequestFeature
{
    // Set: the server sends the files of this response itself.
    private bool _keepsFiles;

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
}
