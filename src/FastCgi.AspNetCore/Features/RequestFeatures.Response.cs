using FastCgi.AspNetCore.Cgi;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Features;

// The response's head: open until the response starts, fixed from then on.
internal sealed partial class RequestFeatures : IHttpResponseFeature
{
    private readonly ResponseHeaderDictionary _ownResponseHeaders;
    private IHeaderDictionary _responseHeaders;
    private string? _reasonPhrase;

    /// <summary>The server's own way in: it may change the status after the start too, for those who log it.</summary>
    internal int StatusCode { get; set; } = StatusCodes.Status200OK;

    internal string? ReasonPhrase => _reasonPhrase;

    internal IHeaderDictionary ResponseHeaders => _responseHeaders;

    int IHttpResponseFeature.StatusCode
    {
        get => StatusCode;
        set
        {
            ThrowIfStarted("The status code");
            StatusCode = value;
        }
    }

    string? IHttpResponseFeature.ReasonPhrase
    {
        get => _reasonPhrase;
        set
        {
            ThrowIfStarted("The reason phrase");
            _reasonPhrase = value;
        }
    }

    IHeaderDictionary IHttpResponseFeature.Headers
    {
        get => _responseHeaders;
        set
        {
            ThrowIfStarted("The headers");
            _responseHeaders = value ?? _ownResponseHeaders;
        }
    }

    bool IHttpResponseFeature.HasStarted => Response.HasStarted;

    /// <summary>After this, changing a header throws.</summary>
    internal void FreezeResponse()
    {
        if (ReferenceEquals(_responseHeaders, _ownResponseHeaders))
        {
            _ownResponseHeaders.Freeze();
        }
        else if (_responseHeaders is HeaderDictionary headers)
        {
            headers.IsReadOnly = true;
        }
    }

    /// <summary>
    /// The application failed before it started the response: nothing of what it prepared is sent, and its
    /// OnStarting callbacks do not run.
    /// </summary>
    internal void ResetResponseForError()
    {
        _responseHeaders = _ownResponseHeaders;
        _ownResponseHeaders.Reset();
        _reasonPhrase = null;
        _onStarting.Clear();
    }

    private void ThrowIfStarted(string what)
    {
        if (Response.HasStarted)
        {
            throw new InvalidOperationException($"{what} cannot be set any more: the response has started.");
        }
    }
}
