using FastCgi.FuzzTests.Memory.Stepping;

namespace FastCgi.FuzzTests.Memory.Talks;

/// <summary>Makes a talk wrong in one to four places, or has it be something else altogether.</summary>
internal sealed class TalkBreaker(Dice dice, ByteWriter work, List<Piece> pieces)
{
    public void Break(Talk talk)
    {
        talk.Doubt();
        if (dice.OnceIn(12))
        {
            SpeakOtherwise(talk);
            return;
        }

        for (var i = dice.Between(1, 5); i > 0 && pieces.Count > 0; i--)
        {
            BreakOnce(talk);
        }
    }

    private void SpeakOtherwise(Talk talk)
    {
        pieces.Clear();
        var other = dice.Below(4);
        talk.IsForeign = other < 2;
        switch (other)
        {
            case 0:
                pieces.Add(Raw("GET / HTTP/1.1\r\nHost: example.test\r\n\r\n"u8));
                break;
            case 1:
                pieces.Add(Raw([0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3]));
                break;
            case 2:
                pieces.Add(Random(dice.Between(1, 300)));
                break;
            default:
                // Heads that never end.
                var start = work.Length;
                work.Record(1, 1, [0, 1, 1, 0, 0, 0, 0, 0]);
                for (var i = dice.Between(1, 12); i > 0; i--)
                {
                    work.Record(4, 1, Noise.RequestBody((uint)dice.Next(), dice.Below(20_000)).Span);
                }

                pieces.Add(new Piece(start, work.Length - start));
                break;
        }
    }

    private void BreakOnce(Talk talk)
    {
        var at = dice.Below(pieces.Count);
        switch (dice.Below(13))
        {
            case 0:
                pieces.RemoveAt(at);
                break;
            case 1:
                pieces.Insert(dice.Between(at, pieces.Count + 1), pieces[at]);
                talk.Copies *= 2;
                break;
            case 2:
                pieces.InsertRange(at, pieces.GetRange(at, dice.Between(1, Math.Min(6, pieces.Count - at + 1))));
                talk.Copies *= 2;
                break;
            case 3:
                var other = dice.Below(pieces.Count);
                (pieces[at], pieces[other]) = (pieces[other], pieces[at]);
                break;
            case 4:
                pieces.RemoveRange(at, pieces.Count - at);
                break;
            case 5:
                CutInside(at);
                break;
            case 6:
                pieces.RemoveAll(static piece => piece.IsStop);
                break;
            case 7:
                pieces.Insert(at, Record());
                break;
            case 8:
                pieces.Insert(at, Random(dice.Between(1, 40)));
                break;
            case 9:
                pieces.InsertRange(0, pieces.ToArray());
                talk.Copies *= 2;
                break;
            default:
                Corrupt(pieces[at]);
                break;
        }
    }

    private void CutInside(int at)
    {
        var piece = pieces[at];
        if (piece.Length > 1)
        {
            pieces.RemoveRange(at, pieces.Count - at);
            pieces.Add(piece with { Length = dice.Between(1, piece.Length) });
        }
    }

    private void Corrupt(Piece piece)
    {
        if (piece.IsStop)
        {
            return;
        }

        var bytes = work.Slice(piece.Start, piece.Length);
        for (var i = dice.Between(1, 4); i > 0; i--)
        {
            // Headers are where it tells.
            var at = dice.OnceIn(2) ? dice.Below(Math.Min(8, bytes.Length)) : dice.Below(bytes.Length);
            bytes[at] = dice.Below(4) switch
            {
                0 => (byte)(bytes[at] + 1),
                1 => (byte)(bytes[at] - 1),
                2 => (byte)(1 << dice.Below(8)),
                _ => (byte)dice.Next(),
            };
        }
    }

    private Piece Record()
    {
        var start = work.Length;
        Span<byte> content = stackalloc byte[20];
        content = content[..dice.Below(20)];
        Fill(content);
        work.Record(dice.Below(13), dice.Below(4), content);
        return new Piece(start, work.Length - start);
    }

    private Piece Random(int length)
    {
        var start = work.Length;
        for (var i = 0; i < length; i++)
        {
            work.Add(i == 0 && dice.OnceIn(2) ? (byte)1 : (byte)dice.Next());
        }

        return new Piece(start, length);
    }

    private Piece Raw(ReadOnlySpan<byte> bytes)
    {
        var start = work.Length;
        work.Add(bytes);
        return new Piece(start, bytes.Length);
    }

    private void Fill(Span<byte> bytes)
    {
        foreach (ref var value in bytes)
        {
            value = (byte)dice.Next();
        }
    }
}
