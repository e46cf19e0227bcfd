using System.Text;

namespace FastCgi.InstanceApp;

/// <summary>A file of one instance, a line for each order. What it holds outlives a killed process.</summary>
internal sealed class OrderBook(string path) : IDisposable
{
    private readonly FileStream _file =
        new(path, FileMode.Append, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0);

    private readonly Lock _lock = new();

    public void Enter(string order)
    {
        lock (_lock)
        {
            _file.Write(Encoding.ASCII.GetBytes($"{order}\n"));
        }
    }

    public void Dispose() => _file.Dispose();
}
