using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Features;

// What FastCGI knows of a request beyond HTTP.
internal sealed partial class RequestFeatures : IFastCgiRequestFeature
{
    FastCgiEndpointProtocol IFastCgiRequestFeature.Protocol => Control.Protocol;

    FastCgiRole IFastCgiRequestFeature.Role => Control.Role;

    int IFastCgiRequestFeature.RequestId => Control.RequestId;

    bool IFastCgiRequestFeature.KeepConnection => Control.KeepConnection;

    bool IFastCgiRequestFeature.AllowFileHandover
    {
        get => OfThisRequest(AllowsFileHandover);
        set
        {
            ThrowIfStarted("AllowFileHandover");
            AllowsFileHandover = value;
        }
    }

    /// <summary>The application leaves its files to the web server.</summary>
    internal bool AllowsFileHandover { get; private set; } = true;

    string IFastCgiRequestFeature.ConnectionId => Control.ConnectionId;

    int IFastCgiRequestFeature.ParameterCount => Cgi.Params.Count;

    ReadOnlySpan<byte> IFastCgiRequestFeature.GetParameterName(int index)
    {
        ThrowIfNoParam(index);
        return Cgi.Params.NameAt(index);
    }

    ReadOnlySpan<byte> IFastCgiRequestFeature.GetParameterValue(int index)
    {
        ThrowIfNoParam(index);
        return Cgi.Params.ValueAt(index);
    }

    bool IFastCgiRequestFeature.TryGetParameter(string name, out ReadOnlySpan<byte> value)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return Cgi.Params.TryGetBytes(name, out value);
    }

    ValueTask IFastCgiRequestFeature.WriteErrorAsync(ReadOnlyMemory<byte> text, CancellationToken cancellationToken)
        => Control.WriteErrorAsync(text, cancellationToken);

    private void ThrowIfNoParam(int index)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(index);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(index, Cgi.Params.Count);
    }
}
