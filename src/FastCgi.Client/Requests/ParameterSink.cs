using System.Buffers;
using System.Globalization;

namespace FastCgi.Client.Requests;

/// <summary>
/// Encodes parameters in UTF-8 and gives them to the writer, except for those that the user sets or removes.
/// </summary>
internal struct ParameterSink
{
    private readonly IParameterWriter _writer;
    private readonly Dictionary<string, string?>? _overrides;
    private byte[] _scratch;

    public ParameterSink(IParameterWriter writer, RequestRules rules, IReadOnlyDictionary<string, string?>? own)
    {
        _writer = writer;
        _scratch = ArrayPool<byte>.Shared.Rent(256);
        if (rules.Parameters.Count > 0 || own is { Count: > 0 })
        {
            _overrides = new Dictionary<string, string?>(rules.Parameters, StringComparer.Ordinal);
            foreach ((string name, string? value) in own ?? rules.Parameters)
            {
                _overrides[name] = value;
            }
        }
    }

    public void Add(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        if (!IsOverridden(name))
        {
            _writer.Add(name, value);
        }
    }

    public void Add(ReadOnlySpan<byte> name, ReadOnlySpan<char> value)
    {
        Reserve(Encoding.UTF8.GetMaxByteCount(value.Length));
        Add(name, _scratch.AsSpan(0, Encoding.UTF8.GetBytes(value, _scratch)));
    }

    public void Add(ReadOnlySpan<byte> name, long value)
    {
        Span<byte> text = stackalloc byte[20];
        value.TryFormat(text, out int length, default, CultureInfo.InvariantCulture);
        Add(name, text[..length]);
    }

    public void Add(ReadOnlySpan<byte> name, IPAddress value)
    {
        Span<byte> text = stackalloc byte[64];
        value.TryFormat(text, out int length);
        Add(name, text[..length]);
    }

    /// <summary>
    /// Adds CONTENT_LENGTH, which SCGI requires first. The user's own value is written here too. If the parameter is
    /// required, it cannot be removed or be empty.
    /// </summary>
    public void AddFirst(ReadOnlySpan<byte> name, long? value, bool isRequired)
    {
        string? own = null;
        bool isOverridden = _overrides?.Remove(Encoding.UTF8.GetString(name), out own) == true;
        if (isOverridden && !(isRequired && string.IsNullOrEmpty(own)))
        {
            if (own is not null)
            {
                Add(name, own);
            }
        }
        else if (value is { } known)
        {
            Add(name, known);
        }
    }

    /// <summary>Adds the user's own parameters, which come last.</summary>
    public void End()
    {
        foreach ((string name, string? value) in _overrides ?? [])
        {
            if (value is null)
            {
                continue;
            }

            if (name.Length == 0 || name.Contains('\0', StringComparison.Ordinal)
                || value.Contains('\0', StringComparison.Ordinal))
            {
                throw new FastCgiException(
                    FastCgiError.InvalidRequest,
                    $"The parameter '{name}' has no name or a NUL in it. Remove it from Parameters.");
            }

            _writer.Add(Encoding.UTF8.GetBytes(name), Encoding.UTF8.GetBytes(value));
        }

        ArrayPool<byte>.Shared.Return(_scratch);
    }

    private readonly bool IsOverridden(ReadOnlySpan<byte> name) =>
        _overrides is { Count: > 0 } && _overrides.ContainsKey(Encoding.UTF8.GetString(name));

    private void Reserve(int size)
    {
        if (_scratch.Length < size)
        {
            ArrayPool<byte>.Shared.Return(_scratch);
            _scratch = ArrayPool<byte>.Shared.Rent(size);
        }
    }
}
