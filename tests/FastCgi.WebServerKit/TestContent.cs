namespace FastCgi.WebServerKit;

/// <summary>A request body of <see cref="TestBytes"/>, with a length or in chunks.</summary>
internal sealed class TestContent(TestBytes bytes, bool isChunked = false) : HttpContent
{
    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
        bytes.WriteToAsync(stream);

    protected override bool TryComputeLength(out long length)
    {
        length = bytes.Length;
        return !isChunked;
    }
}
