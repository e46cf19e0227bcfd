using System.Globalization;

namespace FastCgi.Client.Tests.Oracle;

/// <summary>An application in memory, which answers /plain/1 well, and other targets as the seed in them says.</summary>
internal static class RandomPeer
{
    public static ValueTask<Stream> ConnectAsync(FastCgiConnectContext context, CancellationToken cancellationToken)
    {
        (DuplexStream client, DuplexStream application) = DuplexStream.Pair(window: 4096);
        _ = ServeAsync(new ApplicationConnection(application));
        return new(client);
    }

    public static string BodyOf(int seed) => string.Concat(Enumerable.Repeat($"{seed} ", seed % 3 == 0 ? 1000 : seed % 50));

    private static async Task ServeAsync(ApplicationConnection connection)
    {
        try
        {
            while (true)
            {
                ReceivedRequest request = await connection.ExpectHeadAsync();
                string[] target = request["REQUEST_URI"].Split('/');
                int seed = int.Parse(target[2], CultureInfo.InvariantCulture);
                if (target[1] == "plain")
                {
                    await TakeBodyAsync(connection, request, int.MaxValue);
                    await connection.RespondAsync($"A: b\n\n{request["REQUEST_URI"]}");
                }
                else if (!await AnswerAsync(connection, request, seed))
                {
                    break;
                }
            }
        }
        catch (Exception)
        {
            // The client has closed the connection.
        }

        connection.Close();
    }

    /// <summary>False if the connection ends.</summary>
    private static async Task<bool> AnswerAsync(ApplicationConnection connection, ReceivedRequest request, int seed)
    {
        var random = new Random(seed);
        string body = BodyOf(seed);
        string length = random.Next(2) == 0 ? $"Content-Length: {body.Length}\n" : "";
        byte[] whole = Response.Of($"{length}A: b\n\n{body}", request.Id).ToArray();
        byte[] answer = random.Next(6) == 0 ? whole[..random.Next(whole.Length)] : whole;
        for (int at = 0; at < answer.Length;)
        {
            await TakeBodyAsync(connection, request, random.Next(3) == 0 ? int.MaxValue : random.Next(3));
            int size = Math.Min(answer.Length - at, random.Next(2) == 0 ? random.Next(1, 100) : answer.Length);
            await connection.SendAsync(answer.AsMemory(at, size));
            at += size;
        }

        if (answer.Length < whole.Length || random.Next(3) == 0)
        {
            return false;
        }

        await TakeBodyAsync(connection, request, int.MaxValue);
        return true;
    }

    private static async Task TakeBodyAsync(ApplicationConnection connection, ReceivedRequest request, int most)
    {
        for (int taken = 0; taken < most && !request.IsWhole; taken++)
        {
            request.Take(await connection.ExpectRecordAsync());
        }
    }
}
