using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Features;

// The response's body.
internal partial class RequestFeatures : IHttpResponseBodyFeature
{
    Stream IHttpResponseBodyFeature.Stream => Control.ResponseStream;

    PipeWriter IHttpResponseBodyFeature.Writer => Control.ResponseWriter;

#pragma warning disable CS0618 // The old way to the body is part of the interface, and old middleware uses it.
    Stream IHttpResponseFeature.Body
#pragma warning restore CS0618
    {
        get => ((IHttpResponseBodyFeature)_slots[(int)FeatureSlot.ResponseBody]!).Stream;
        set => SetSlot(
            FeatureSlot.ResponseBody,
            ReferenceEquals(value, Control.ResponseStream) ? this : new StreamResponseBodyFeature(value, this));
    }

    void IHttpResponseBodyFeature.DisableBuffering() => Control.DisableResponseBuffering();

    Task IHttpResponseBodyFeature.StartAsync(CancellationToken cancellationToken)
        => Control.StartResponseAsync(cancellationToken);

    Task IHttpResponseBodyFeature.SendFileAsync(
        string path, long offset, long? count, CancellationToken cancellationToken)
        => Control.SendFileAsync(path, offset, count, cancellationToken);

    Task IHttpResponseBodyFeature.CompleteAsync() => Control.CompleteResponseAsync();
}
