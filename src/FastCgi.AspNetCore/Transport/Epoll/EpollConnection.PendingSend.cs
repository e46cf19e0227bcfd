using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Transport.Epoll;

internal sealed partial class EpollConnection
{
    /// <summary>
    /// A send that the socket had no room for. It waits for writability and goes on where it stopped.
    /// </summary>
    private sealed class PendingSend(SocketDescriptor socket)
    {
        // Guards both fields; held over sends, which do not block.
        private readonly Lock _lock = new();
        private ReadOnlyMemory<byte> _unsent;
        private volatile bool _isUnderWay;

        public bool IsUnderWay => _isUnderWay;

        /// <summary>The caller has the connection armed after this, with writability.</summary>
        public void Begin(ReadOnlyMemory<byte> data)
        {
            using (LockOrder.Enter(_lock, LockRank.Transport))
            {
                if (_isUnderWay)
                {
                    throw new InvalidOperationException("A send is under way already.");
                }

                _unsent = data;
                _isUnderWay = true;
            }
        }

        /// <summary>
        /// Sends what there is room for. True, for one caller: the send has ended, with success or because the socket
        /// is lost.
        /// </summary>
        public bool TryEnd(out bool succeeded)
        {
            succeeded = true;
            using (LockOrder.Enter(_lock, LockRank.Transport))
            {
                if (!_isUnderWay)
                {
                    return false;
                }

                while (succeeded && !_unsent.IsEmpty)
                {
                    int sent = socket.Send(_unsent.Span);
                    if (sent == WouldBlock)
                    {
                        // The socket is full, so there will be another event.
                        return false;
                    }

                    succeeded = sent != Reset;
                    _unsent = succeeded ? _unsent[sent..] : default;
                }

                End();
                return true;
            }
        }

        /// <summary>The connection is closed. True, for one caller: the send has ended by that.</summary>
        public bool TryFail()
        {
            using (LockOrder.Enter(_lock, LockRank.Transport))
            {
                bool wasUnderWay = _isUnderWay;
                End();
                return wasUnderWay;
            }
        }

        private void End()
        {
            _unsent = default;
            _isUnderWay = false;
        }
    }
}
