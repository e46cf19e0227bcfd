namespace FastCgi.FuzzTests.Conversations;

/// <summary>Makes a conversation wrong in one to four places, or has it be something else altogether.</summary>
internal sealed class Mutator(Dice dice, Conversation conversation)
{
    private static readonly byte[] s_interesting = [0, 1, 2, 3, 7, 8, 9, 0x7F, 0x80, 0xFE, 0xFF];

    private ByteWriter Work => conversation.Work;

    private List<Piece> Pieces => conversation.Pieces;

    public void Mutate()
    {
        conversation.IsMutated = true;
        conversation.Doubt();
        if (dice.OnceIn(12))
        {
            SpeakOtherwise();
            return;
        }

        for (var i = dice.Between(1, 5); i > 0 && Pieces.Count > 0; i--)
        {
            MutateOnce();
        }

        conversation.Ending = dice.OnceIn(8) ? (Ending)dice.Below(5) : conversation.Ending;
    }

    private void SpeakOtherwise()
    {
        Pieces.Clear();
        var other = dice.Below(4);
        conversation.IsForeign = other < 2;
        switch (other)
        {
            case 0:
                Pieces.Add(conversation.NewRaw("GET / HTTP/1.1\r\nHost: example.test\r\n\r\n"u8));
                break;
            case 1:
                Pieces.Add(conversation.NewRaw([0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3]));
                break;
            case 2:
                Pieces.Add(Random(dice.Between(1, 300)));
                break;
            default:
                // Heads that never end.
                Pieces.Add(conversation.NewRecord(1, 1, [0, 1, 1, 0, 0, 0, 0, 0]));
                for (var i = dice.Between(1, 12); i > 0; i--)
                {
                    var noise = Noise.RequestBody((uint)dice.Next(), dice.Below(20_000));
                    Pieces.Add(conversation.NewRecord(4, 1, noise.Span));
                }

                break;
        }
    }

    private void MutateOnce()
    {
        var at = dice.Below(Pieces.Count);
        switch (dice.Below(13))
        {
            case 0:
                Pieces.RemoveAt(at);
                break;
            case 1:
                Pieces.Insert(dice.Between(at, Pieces.Count + 1), Pieces[at]);
                break;
            case 2:
                Pieces.InsertRange(at, Pieces.GetRange(at, dice.Between(1, Math.Min(6, Pieces.Count - at + 1))));
                break;
            case 3:
                var other = dice.Below(Pieces.Count);
                (Pieces[at], Pieces[other]) = (Pieces[other], Pieces[at]);
                break;
            case 4:
                Pieces.RemoveRange(at, Pieces.Count - at);
                break;
            case 5:
                CutInside(at);
                break;
            case 6:
                Pieces.RemoveAll(static piece => piece.IsStop);
                break;
            case 7:
                Span<byte> content = stackalloc byte[20];
                content = content[..dice.Below(20)];
                dice.Fill(content);
                Pieces.Insert(at, conversation.NewRecord(dice.Below(13), dice.Below(4), content));
                break;
            case 8:
                Pieces.Insert(at, Random(dice.Between(1, 40)));
                break;
            case 9 when dice.OnceIn(2):
                Pieces.InsertRange(0, Pieces.ToArray());
                break;
            default:
                Corrupt(at);
                break;
        }
    }

    /// <summary>The connection ends inside this record.</summary>
    private void CutInside(int at)
    {
        var piece = Pieces[at];
        if (piece.Length > 1)
        {
            Pieces.RemoveRange(at, Pieces.Count - at);
            Pieces.Add(piece with { Length = dice.Between(1, piece.Length) });
        }
    }

    private void Corrupt(int at)
    {
        var piece = Pieces[at];
        if (piece.IsStop)
        {
            return;
        }

        if (!conversation.IsScgi && piece.Length >= 8 && dice.OnceIn(2))
        {
            Pieces[at] = CorruptRecord(piece);
            return;
        }

        var bytes = Work.Slice(piece.Start, piece.Length);
        for (var i = dice.Between(1, 4); i > 0; i--)
        {
            // Headers are where it tells.
            var place = dice.OnceIn(2) ? dice.Below(Math.Min(8, bytes.Length)) : dice.Below(bytes.Length);
            bytes[place] = dice.Below(5) switch
            {
                0 => (byte)(bytes[place] + 1),
                1 => (byte)(bytes[place] - 1),
                2 => (byte)(1 << dice.Below(8)),
                3 => s_interesting[dice.Below(s_interesting.Length)],
                _ => (byte)dice.Next(),
            };
        }
    }

    /// <summary>A copy of the record that is wrong in one field, or has another content.</summary>
    private Piece CorruptRecord(Piece piece)
    {
        var old = Work.Slice(piece.Start, piece.Length).ToArray();
        var length = Math.Min((old[4] << 8) | old[5], old.Length - 8);
        var content = old.AsSpan(8, length);
        var (type, id, padding) = ((int)old[1], (old[2] << 8) | old[3], (int)old[6]);
        var what = dice.Below(9);
        Span<byte> more = stackalloc byte[20];
        more = more[..dice.Between(1, 20)];
        dice.Fill(more);
        switch (what)
        {
            case 0:
                type = dice.Below(14);
                break;
            case 1:
                id = dice.Below(5);
                break;
            case 2:
                padding = dice.Below(256);
                break;
            case 3:
                content = content[..dice.Below(length + 1)];
                break;
            case 4 when length + more.Length <= 65535:
                content = (byte[])[.. content, .. more];
                break;
            case 5 when length > 0:
                content[dice.Below(length)] = (byte)dice.Next();
                break;
        }

        var record = conversation.NewRecord(type, id, content, padding);
        var header = Work.Slice(record.Start, 8);
        switch (what)
        {
            case 6:
                header[0] = (byte)dice.Next();
                break;
            case 7:
                var declared = content.Length + dice.Between(-9, 10);
                (header[4], header[5]) = ((byte)(declared >> 8), (byte)declared);
                break;
            case 8:
                header[7] = (byte)dice.Next();
                break;
        }

        return record;
    }

    private Piece Random(int length)
    {
        var bytes = new byte[length];
        dice.Fill(bytes);
        // So that the reader gets as far as a header.
        bytes[0] = dice.OnceIn(2) ? (byte)1 : bytes[0];
        return conversation.NewRaw(bytes);
    }
}
