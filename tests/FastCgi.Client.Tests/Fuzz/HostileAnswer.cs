namespace FastCgi.Client.Tests.Fuzz;

/// <summary>An answer made from a seed: a right one, or one that was damaged.</summary>
internal sealed class HostileAnswer
{
    private const int StdoutType = 6;

    private HostileAnswer(byte[] bytes, byte[] body, bool isRight)
    {
        Bytes = bytes;
        Body = body;
        IsRight = isRight;
    }

    public byte[] Bytes { get; }

    /// <summary>What a reader of the right answer gets.</summary>
    public byte[] Body { get; }

    public bool IsRight { get; }

    public static HostileAnswer Make(Random random, bool isScgi)
    {
        byte[] body = new byte[random.Next(4) switch { 0 => 0, 1 => random.Next(10), 2 => random.Next(2000), _ => random.Next(100_000) }];
        random.NextBytes(body);
        byte[] response = [.. Encoding.ASCII.GetBytes(Head(random, body.Length)), .. body];
        byte[] bytes = isScgi ? response : Records(random, response);
        bool isRight = random.Next(3) == 0;
        return new HostileAnswer(isRight ? bytes : Damage(random, bytes), body, isRight);
    }

    private static string Head(Random random, int length)
    {
        var head = new StringBuilder();
        string end = random.Next(2) == 0 ? "\r\n" : "\n";
        head.Append(random.Next(2) == 0 ? "Status: 200 OK" + end : "");
        head.Append("Content-Type: text/plain").Append(end);
        for (int i = random.Next(5); i > 0; i--)
        {
            head.Append("X-").Append(i).Append(": ").Append('v', random.Next(300)).Append(end);
        }

        return head.Append("Content-Length: ").Append(length).Append(end).Append(end).ToString();
    }

    private static byte[] Records(Random random, byte[] response)
    {
        var records = new RecordBuilder();
        for (int at = 0; at < response.Length;)
        {
            int size = Math.Min(response.Length - at, random.Next(3) == 0 ? random.Next(1, 20) : random.Next(1, 65_536));
            records.Record(StdoutType, 1, response.AsSpan(at, size), random.Next(256));
            at += size;
            if (random.Next(4) == 0)
            {
                records.Stderr("noise");
            }
        }

        if (random.Next(2) == 0)
        {
            records.Record(StdoutType, 1, []);
        }

        return records.End().ToArray();
    }

    private static byte[] Damage(Random random, byte[] bytes)
    {
        var damaged = bytes.ToList();
        for (int i = random.Next(1, 4); i > 0 && damaged.Count > 0; i--)
        {
            int at = random.Next(2) == 0 ? random.Next(damaged.Count) : random.Next(Math.Min(damaged.Count, 100));
            int length = Math.Min(random.Next(1, 20), damaged.Count - at);
            switch (random.Next(5))
            {
                case 0:
                    damaged[at] = (byte)random.Next(256);
                    break;
                case 1:
                    damaged.RemoveRange(at, length);
                    break;
                case 2:
                    damaged.InsertRange(at, damaged.GetRange(at, length));
                    break;
                case 3:
                    byte[] noise = new byte[length];
                    random.NextBytes(noise);
                    damaged.InsertRange(at, noise);
                    break;
                default:
                    damaged.RemoveRange(at, damaged.Count - at);
                    break;
            }
        }

        return [.. damaged];
    }
}
