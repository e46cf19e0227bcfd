using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Features;

// The response's body.
internal sealed partial class RequestFeatures : IHttpResponseBodyFeature
{
    Stream IHttpResponseBodyFeature.Stream => Response.Stream;

    PipeWriter IHttpResponseBodyFeature.Writer => Response.Writer;

#pragma warning disable CS0618 // The old way to the body is part of the interface, and old middleware uses it.
    Stream IHttpResponseFeature.Body
#pragma warning restore CS0618
    {
        get => ((IHttpResponseBodyFeature)GetSlot(FeatureSlot.ResponseBody)!).Stream;
        set => SetSlot(
            FeatureSlot.ResponseBody,
            ReferenceEquals(value, Response.Stream) ? this : new StreamResponseBodyFeature(value, this));
    }

    void IHttpResponseBodyFeature.DisableBuffering() => Response.DisableBuffering();

    Task IHttpResponseBodyFeature.StartAsync(CancellationToken cancellationToken)
        => Response.StartAsync(cancellationToken);

    Task IHttpResponseBodyFeature.SendFileAsync(
        string path, long offset, long? count, CancellationToken cancellationToken)
        => Response.SendFileAsync(path, offset, count, cancellationToken);

    Task IHttpResponseBodyFeature.CompleteAsync() => Response.CompleteAsync();
}
