using System.Diagnostics.CodeAnalysis;
using System.Text;
using FastCgi.AspNetCore.Cgi;

namespace FastCgi.AspNetCore.Features;

/// <summary>
/// Everything that the application sees of a request, in one object that is reused: each group of features is a
/// file of this class. Not sealed only because the class that keeps the host's context is generic.
/// </summary>
internal abstract partial class RequestFeatures
{
    private IRequestControl? _control;
    private CgiRequest? _request;

    /// <param name="responseHeaderEncodingSelector">The encoding of a response header's values by name; null is
    /// ASCII for all.</param>
    protected RequestFeatures(Func<string, Encoding?>? responseHeaderEncodingSelector)
    {
        _ownResponseHeaders = new ResponseHeaderDictionary(responseHeaderEncodingSelector);
        _responseHeaders = _ownResponseHeaders;
        FillServedSlots();
    }

    private IRequestControl Control => _control ?? ThrowRequestIsOver<IRequestControl>();

    private CgiRequest Cgi => _request ?? ThrowRequestIsOver<CgiRequest>();

    /// <summary>Turns the features to a request whose params are loaded.</summary>
    internal void Begin(IRequestControl control, CgiRequest request, long? maxRequestBodySize, bool allowSynchronousIO)
    {
        _control = control;
        _request = request;
        MaxRequestBodySize = maxRequestBodySize;
        _allowSynchronousIO = allowSynchronousIO;
    }

    /// <summary>
    /// Leaves nothing of the request but what the host keeps for the next one. A feature used after this throws.
    /// </summary>
    internal void Reset()
    {
        _control = null;
        _request = null;
        ResetRequest();
        ResetRequestBody();
        ResetResponse();
        ResetLifetime();
        ResetConnection();
        ResetSocket();
        ResetRouting();
        ResetServerVariables();
        ResetTls();
        ResetSlots();
    }

    /// <summary>
    /// What is set on an object that waits in the pool would be the next client's. Every setter asks, also those
    /// that need nothing of the request.
    /// </summary>
    private void ThrowIfOver()
    {
        if (_control is null)
        {
            ThrowRequestIsOver<IRequestControl>();
        }
    }

    [DoesNotReturn]
    private static T ThrowRequestIsOver<T>()
        => throw new ObjectDisposedException("HttpContext", "The request has ended, and its features with it.");
}
