namespace FastCgi.FuzzTests.Conversations;

/// <summary>Makes a valid conversation wrong, in one to four places.</summary>
public static class Mutator
{
    private static readonly byte[] s_interesting = [0, 1, 2, 3, 7, 8, 9, 0x7F, 0x80, 0xFE, 0xFF];

    public static Conversation Mutate(Conversation conversation, Random random)
    {
        var items = conversation.Items.ToList();
        for (var i = random.Next(1, 5); i > 0 && items.Count > 0; i--)
        {
            MutateOnce(items, random);
        }

        var ending = random.Next(4) == 0 ? (Ending)random.Next(4) : conversation.Ending;
        return conversation with { Items = items, Ending = ending, IsMutated = true };
    }

    private static void MutateOnce(List<Item> items, Random random)
    {
        var at = random.Next(items.Count);
        switch (random.Next(12))
        {
            case 0:
                items.RemoveAt(at);
                break;
            case 1:
                items.Insert(random.Next(at, items.Count + 1), items[at]);
                break;
            case 2:
                items.InsertRange(at, items.GetRange(at, random.Next(1, Math.Min(6, items.Count - at + 1))));
                break;
            case 3:
                Swap(items, at, random.Next(items.Count));
                break;
            case 4:
                items.RemoveRange(at, items.Count - at);
                break;
            case 5:
                CutInside(items, at, random);
                break;
            case 6:
                items.RemoveAll(item => item is WaitItem);
                break;
            case 7:
                items.Insert(at, new RecordItem(random.Next(0, 13), random.Next(0, 4), Bytes(random, random.Next(20))));
                break;
            case 8:
                items.Insert(at, new RawItem(Bytes(random, random.Next(1, 40))));
                break;
            default:
                if (items[at] is RecordItem record)
                {
                    items[at] = Corrupt(record, random);
                }

                break;
        }
    }

    private static void Swap(List<Item> items, int one, int other) =>
        (items[one], items[other]) = (items[other], items[one]);

    /// <summary>The connection ends inside this record.</summary>
    private static void CutInside(List<Item> items, int at, Random random)
    {
        if (items[at] is RecordItem record)
        {
            var bytes = record.ToBytes();
            items.RemoveRange(at, items.Count - at);
            items.Add(new RawItem(bytes[..random.Next(1, bytes.Length)]));
        }
    }

    private static RecordItem Corrupt(RecordItem record, Random random)
    {
        switch (random.Next(9))
        {
            case 0:
                return record with { Version = Byte(random) };
            case 1:
                return record with { Type = random.Next(0, 14) };
            case 2:
                return record with { Id = random.Next(0, 5) };
            case 3:
                return record with { LengthError = random.Next(-9, 10) };
            case 4:
                return record with { Reserved = Byte(random) };
            case 5:
                return record with { Padding = random.Next(256) };
            case 6:
                return record with { Content = record.Content[..random.Next(record.Content.Length + 1)] };
            case 7:
                return record with { Content = [.. record.Content, .. Bytes(random, random.Next(1, 20))] };
            default:
                var content = record.Content.ToArray();
                for (var i = random.Next(1, 4); i > 0 && content.Length > 0; i--)
                {
                    content[random.Next(content.Length)] = Byte(random);
                }

                return record with { Content = content };
        }
    }

    private static byte Byte(Random random) =>
        random.Next(2) == 0 ? s_interesting[random.Next(s_interesting.Length)] : (byte)random.Next(256);

    private static byte[] Bytes(Random random, int length)
    {
        var bytes = new byte[length];
        random.NextBytes(bytes);
        if (random.Next(2) == 0)
        {
            // So that the reader gets as far as a header.
            bytes.AsSpan(0, Math.Min(1, length)).Fill(1);
        }

        return bytes;
    }
}
