using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Features;

// The request's body: one source, seen as a stream and as a pipe.
internal sealed partial class RequestFeatures : IRequestBodyPipeFeature, IHttpRequestBodyDetectionFeature,
    IHttpMaxRequestBodySizeFeature, IHttpBodyControlFeature, IBadRequestExceptionFeature
{
    private static readonly StreamPipeReaderOptions s_replacedBodyOptions =
        new(leaveOpen: true, useZeroByteReads: true);

    private bool _isBodyReplaced;
    private bool _isUpgraded;
    private Stream? _replacedBody;
    private PipeReader? _replacedBodyReader;

    // -1 is no limit. One word, since the connection reads it while the application may set it.
    private long _maxRequestBodySize = -1;
    private bool _allowSynchronousIO;

    /// <summary>In bytes; null is no limit. Fixed once the application reads.</summary>
    internal long? MaxRequestBodySize
    {
        get => Volatile.Read(ref _maxRequestBodySize) is >= 0 and var size ? size : null;
        private set => Volatile.Write(ref _maxRequestBodySize, value ?? -1);
    }

    Stream IHttpRequestFeature.Body
    {
        get => _isBodyReplaced ? _replacedBody! : Control.RequestStream;
        set
        {
            if (_isBodyReplaced && ReferenceEquals(value, _replacedBody))
            {
                // A new reader would lose the bytes that the first one has buffered.
                return;
            }

            _isBodyReplaced = !ReferenceEquals(value, Control.RequestStream);
            _replacedBody = _isBodyReplaced ? value : null;
            _replacedBodyReader = null;
        }
    }

    PipeReader IRequestBodyPipeFeature.Reader
    {
        get
        {
            if (!_isBodyReplaced)
            {
                return Control.RequestReader;
            }

            if (_replacedBodyReader is null)
            {
                _replacedBodyReader = PipeReader.Create(_replacedBody ?? Stream.Null, s_replacedBodyOptions);
                _onCompleted.Push(CompleteReader, _replacedBodyReader);
            }

            return _replacedBodyReader;
        }
    }

    bool IHttpRequestBodyDetectionFeature.CanHaveBody => Control.CanHaveBody;

    bool IHttpMaxRequestBodySizeFeature.IsReadOnly => Control.HasBodyReadingStarted || _isUpgraded;

    long? IHttpMaxRequestBodySizeFeature.MaxRequestBodySize
    {
        get => MaxRequestBodySize;
        set
        {
            if (((IHttpMaxRequestBodySizeFeature)this).IsReadOnly)
            {
                throw new InvalidOperationException(
                    "The maximum size of the request body cannot change once the application reads the body, or has " +
                    "upgraded the request.");
            }

            if (value is { } size)
            {
                ArgumentOutOfRangeException.ThrowIfNegative(size, nameof(value));
            }

            MaxRequestBodySize = value;
        }
    }

    bool IHttpBodyControlFeature.AllowSynchronousIO
    {
        get => _allowSynchronousIO;
        set
        {
            ThrowIfOver();
            _allowSynchronousIO = value;
        }
    }

    Exception? IBadRequestExceptionFeature.Error => BadRequest;

    /// <summary>The broken rule that a read of the body has met; null for none.</summary>
    internal BadHttpRequestException? BadRequest { get; private set; }

    /// <summary>Says why the server rejects the request.</summary>
    internal void SetBadRequest(BadHttpRequestException exception) => BadRequest ??= exception;

    private static Task CompleteReader(object reader)
    {
        ((PipeReader)reader).Complete();
        return Task.CompletedTask;
    }
}
