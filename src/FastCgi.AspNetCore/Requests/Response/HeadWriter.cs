namespace FastCgi.AspNetCore.Requests.Response;

/// <summary>Writes a response head into <paramref name="destination"/>: its length, or -1 when it does not fit.</summary>
internal delegate int HeadWriter<TState>(Span<byte> destination, in TState state);
