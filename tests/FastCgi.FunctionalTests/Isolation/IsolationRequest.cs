using System.Text.RegularExpressions;

namespace FastCgi.FunctionalTests.Isolation;

/// <summary>How a request of <see cref="IsolationTests"/> ends.</summary>
public enum Fate
{
    Whole,
    HalfRead,
    ThrowsBefore,
    ThrowsAfter,
    AbortsBefore,
    AbortsAfter,
    TooShort,
    BodyCut,
    PeerAborts,
    PeerLeaves,
}

/// <summary>One request of one of two users. Its token is in everything that it sends and gets.</summary>
public sealed partial record IsolationRequest(
    int Number, string Token, Fate Fate, int BodyLength, int ResponseLength, int HeaderCount, int Id, bool Waits)
{
    private static readonly int[] s_lengths = [0, 1, 100, 3000, 3000, 20_000, 70_000];
    private static readonly int[] s_ids = [1, 1, 1, 2, 300, 65_535];

    public bool IsFirstUser => Number % 2 == 0;

    public int Status => IsFirstUser ? 201 : 202;

    public string Culture => IsFirstUser ? "sv-SE" : "ja-JP";

    /// <summary>The users take turns; four of five requests end well.</summary>
    public static IsolationRequest Next(Random random, int number)
    {
        var fates = Enum.GetValues<Fate>();
        var fate = random.Next(5) == 0 ? fates[random.Next(fates.Length)] : Fate.Whole;
        var body = s_lengths[random.Next(s_lengths.Length)];
        return new IsolationRequest(
            number,
            $"{(number % 2 == 0 ? "alice" : "bobby")}-{number:D5}.",
            fate,
            fate is Fate.HalfRead or Fate.BodyCut or Fate.PeerAborts or Fate.PeerLeaves ? Math.Max(body, 100) : body,
            Math.Max(s_lengths[random.Next(s_lengths.Length)], 1),
            random.Next(30),
            s_ids[random.Next(s_ids.Length)],
            random.Next(2) == 0);
    }

    /// <summary>The request that the application was sent.</summary>
    public static IsolationRequest From(HttpContext context)
    {
        var values = context.Request.Headers["X-Request"].ToString().Split(' ');
        int Number(int index) => int.Parse(values[index], CultureInfo.InvariantCulture);
        return new IsolationRequest(
            Number(0), values[1], Enum.Parse<Fate>(values[2]), Number(3), Number(4), Number(5), 0, values[6] == "True");
    }

    public RequestScript ToScript() => new()
    {
        Id = Id,
        Method = "POST",
        Target = $"/{Token}?own={Token}",
        Body = Bytes(BodyLength),
        Headers =
        [
            ("X-Request", $"{Number} {Token} {Fate} {BodyLength} {ResponseLength} {HeaderCount} {Waits}"),
            ("Cookie", $"own={Token}"),
            .. Enumerable.Range(0, HeaderCount).Select(i => ($"X-Own-{Number % 7}-{i}", Token)),
        ],
        ExtraParams = [("OWN_VARIABLE", Token)],
    };

    /// <summary>The token, again and again.</summary>
    public byte[] Bytes(int length)
    {
        var token = Encoding.ASCII.GetBytes(Token);
        var bytes = new byte[length];
        for (var at = 0; at < length; at += token.Length)
        {
            token.AsSpan(0, Math.Min(token.Length, length - at)).CopyTo(bytes.AsSpan(at));
        }

        return bytes;
    }

    /// <summary>No token of another request is in it.</summary>
    public bool IsOwn(ReadOnlySpan<char> text)
    {
        foreach (var match in Tokens().EnumerateMatches(text))
        {
            if (!text.Slice(match.Index, match.Length).SequenceEqual(Token))
            {
                return false;
            }
        }

        return true;
    }

    [GeneratedRegex(@"(alice|bobby)-\d{5}\.")]
    private static partial Regex Tokens();
}
