namespace FastCgi.SampleTests.Form;

/// <summary>A request body that does not come before the gate is opened.</summary>
internal sealed class GatedContent(string text) : HttpContent
{
    private readonly TaskCompletionSource _gate = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public void Open() => _gate.TrySetResult();

    protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
    {
        await _gate.Task;
        await stream.WriteAsync(Encoding.UTF8.GetBytes(text));
    }

    protected override bool TryComputeLength(out long length)
    {
        length = Encoding.UTF8.GetByteCount(text);
        return true;
    }

    protected override void Dispose(bool disposing)
    {
        Open();
        base.Dispose(disposing);
    }
}
