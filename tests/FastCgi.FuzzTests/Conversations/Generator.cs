using System.Globalization;

namespace FastCgi.FuzzTests.Conversations;

/// <summary>
/// Makes valid conversations: several requests one after the other and side by side, with bodies, aborts, roles that
/// nobody serves, management records and ids that are used again.
/// </summary>
public sealed class Generator
{
    private static readonly string[] s_values = ["FCGI_MAX_CONNS", "FCGI_MAX_REQS", "FCGI_MPXS_CONNS", "NO_SUCH"];

    private readonly Random _random;
    private readonly string _key;
    private readonly List<Script> _scripts = [];

    private Generator(int seed)
    {
        _random = new Random(seed);
        _key = $"c{seed:x8}";
    }

    public static Conversation Create(int seed)
    {
        var generator = new Generator(seed);
        var items = generator.Exchanges();
        var ending = generator._random.Next(10) switch
        {
            < 5 => Ending.Finish,
            < 8 => Ending.HalfClose,
            8 => Ending.Close,
            _ => Ending.Reset,
        };
        var valid = new Conversation(seed, generator._key, generator._scripts, items, ending, IsMutated: false);
        // Every third stays valid: there the model knows everything that has to come back.
        return generator._random.Next(3) == 0 ? valid : Mutator.Mutate(valid, generator._random);
    }

    private List<Item> Exchanges()
    {
        var items = new List<Item>();
        var rounds = _random.Next(1, 5);
        for (var round = 0; round < rounds; round++)
        {
            var ids = Enumerable.Range(0, _random.Next(4) == 0 ? _random.Next(2, 6) : 1).Select(_ => NextId()).Distinct();
            var isLast = round == rounds - 1;
            var threads = ids.Select(id => Request(id, keep: !isLast || _random.Next(2) == 0)).ToList();
            if (_random.Next(4) == 0)
            {
                threads.Add(Management());
            }

            var waits = ids.Select(id => new WaitItem(id)).ToList();
            Interleave(threads, items);
            items.AddRange(waits);
        }

        return items;
    }

    private int NextId() => _random.Next(8) switch
    {
        0 => 65535,
        1 => _random.Next(1, 65536),
        _ => _random.Next(1, 4),
    };

    private void Interleave(List<List<Item>> threads, List<Item> into)
    {
        while (threads.Count > 0)
        {
            var thread = threads[_random.Next(threads.Count)];
            into.Add(thread[0]);
            thread.RemoveAt(0);
            threads.RemoveAll(rest => rest.Count == 0);
        }
    }

    private List<Item> Management()
    {
        var records = new List<Item>();
        for (var i = _random.Next(1, 3); i > 0; i--)
        {
            records.Add(_random.Next(3) == 0
                ? new RecordItem(_random.Next(12, 256), _random.Next(2), Bytes(_random.Next(20)), Padding())
                : new RecordItem(
                    9, 0, RecordBuilder.Pairs(s_values.Where(_ => _random.Next(2) == 0).Select(name => (name, ""))), Padding()));
        }

        return records;
    }

    private List<Item> Request(int id, bool keep)
    {
        var role = _random.Next(20) == 0 ? 3 : 1;
        var script = NewScript();
        var records = new List<Item>
        {
            new RecordItem(1, id, [0, (byte)role, keep ? (byte)1 : (byte)0, 0, 0, 0, 0, 0], Padding()),
        };
        AddStream(records, 4, id, script.Params);
        if (!script.DeclaresLength || script.Body.Length > 0 || _random.Next(2) == 0)
        {
            AddStream(records, 5, id, script.Body);
        }

        if (_random.Next(6) == 0)
        {
            // Where it falls behind the request, nobody knows which of the two is first.
            records.Insert(_random.Next(1, records.Count + 1), new RecordItem(2, id, [], Padding()));
        }

        return records;
    }

    private Script NewScript()
    {
        var token = $"{_key}/{_scripts.Count}";
        var mode = (Mode)(_random.Next(12) == 0 ? 4 : _random.Next(4));
        var method = _random.Next(8) switch { 0 => "HEAD", < 4 => "GET", _ => "POST" };
        var body = method == "POST" ? Bytes(Size()) : [];
        var filler = Size();
        var declared = _random.Next(5) != 0;
        List<(string, string)> pairs =
        [
            ("REQUEST_METHOD", method),
            ("REQUEST_URI", Script.TargetOf(token, mode, filler)),
            ("DOCUMENT_URI", $"/{token}/{mode}"),
            ("SERVER_PROTOCOL", "HTTP/1.1"),
            ("HTTP_HOST", "example.test"),
            ("REMOTE_ADDR", "192.0.2.7"),
            ("HTTP_X_LONG", new string('x', _random.Next(10) == 0 ? _random.Next(5000) : _random.Next(200))),
        ];
        if (declared)
        {
            pairs.Insert(
                _random.Next(pairs.Count), ("CONTENT_LENGTH", body.Length.ToString(CultureInfo.InvariantCulture)));
        }

        var block = RecordBuilder.Pairs(pairs);
        var script = new Script(token, method, mode, filler, body, declared, block);
        _scripts.Add(script);
        return script;
    }

    private void AddStream(List<Item> records, int type, int id, byte[] content)
    {
        var left = content.AsMemory();
        while (!left.IsEmpty)
        {
            var size = Math.Min(left.Length, _random.Next(4) == 0 ? _random.Next(1, 300) : 65535);
            records.Add(new RecordItem(type, id, left[..size].ToArray(), Padding()));
            left = left[size..];
        }

        records.Add(new RecordItem(type, id, [], Padding()));
    }

    private int Size() => _random.Next(40) switch
    {
        0 => _random.Next(400_000),
        < 4 => _random.Next(60_000, 70_000),
        < 16 => _random.Next(5000),
        < 30 => _random.Next(100),
        _ => 0,
    };

    private int Padding() => _random.Next(4) == 0 ? _random.Next(256) : 0;

    private byte[] Bytes(int length)
    {
        var bytes = new byte[length];
        _random.NextBytes(bytes);
        return bytes;
    }
}
