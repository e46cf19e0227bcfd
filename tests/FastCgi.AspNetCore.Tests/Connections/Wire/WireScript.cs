namespace FastCgi.AspNetCore.Tests.Connections.Wire;

/// <summary>Feeds bytes to a wire and writes its verdicts down, with pieces of one stream joined.</summary>
internal static class WireScript
{
    public static string Read(IWireProtocol wire, IEnumerable<ReadOnlyMemory<byte>> pieces)
    {
        List<(string What, List<byte> Content)> verdicts = [];
        foreach (ReadOnlyMemory<byte> piece in pieces)
        {
            ReadOnlySpan<byte> received = piece.Span;
            while (wire.TryRead(ref received, out WireVerdict verdict))
            {
                string what = $"{verdict.Event} {verdict.RequestId}";
                if (verdict.Event == WireEvent.Begin)
                {
                    what += $" {verdict.Begin.Role} {verdict.Begin.KeepConnection} {verdict.HeadLength}".TrimEnd();
                }

                bool joins = verdict.Event is WireEvent.Params or WireEvent.Stdin && verdicts.Count > 0
                    && (verdicts[^1].What == what || verdicts[^1].What.StartsWith("Begin", StringComparison.Ordinal));
                if (!joins || (verdicts[^1].What != what && verdicts[^1].Content.Count == 0 && wire.HasRecords))
                {
                    verdicts.Add((what, []));
                }

                verdicts[^1].Content.AddRange(verdict.Content);
            }

            if (wire.Violation != ProtocolViolation.None)
            {
                verdicts.Add(($"{wire.Violation}", []));
                break;
            }
        }

        return string.Join(", ", verdicts.Select(static verdict => verdict.Content.Count == 0
            ? verdict.What
            : $"{verdict.What} [{Convert.ToHexString([.. verdict.Content])}]"));
    }
}
