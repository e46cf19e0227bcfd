using System.Globalization;

namespace FastCgi.Gateway.Tests.Oracle;

/// <summary>A FastCGI application on a free port, which answers the target /kept/1 with random response 1.</summary>
internal sealed class RandomApplication : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);

    public RandomApplication()
    {
        _listener.Start();
        _ = AcceptAsync();
    }

    public string Endpoint => $"{_listener.LocalEndpoint}";

    public void Dispose() => _listener.Dispose();

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                _ = ServeAsync(await _listener.AcceptTcpClientAsync());
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // The test has ended.
        }
    }

    private static async Task ServeAsync(TcpClient client)
    {
        using NetworkStream connection = client.GetStream();
        try
        {
            client.NoDelay = true;
            var arrived = new RecordCutter();
            for (bool isKept = true; isKept;)
            {
                var request = new ReceivedRequest();
                byte[] buffer = new byte[16 * 1024];
                while (!request.IsWhole)
                {
                    if (arrived.Take() is { } record)
                    {
                        request.Take(record);
                        continue;
                    }

                    int count = await connection.ReadAsync(buffer);
                    arrived.Add(buffer.AsSpan(0, count > 0 ? count : throw new IOException("The client has closed the connection.")));
                }

                int seed = int.Parse(request["REQUEST_URI"].Split('/')[^1], CultureInfo.InvariantCulture);
                var response = new RandomResponse(seed, request.Id);
                foreach (byte[] piece in response.Pieces)
                {
                    await connection.WriteAsync(piece);
                }

                isKept = request.KeepsConnection && !response.Closes;
            }
        }
        catch (IOException)
        {
            // The client has closed the connection.
        }
    }
}
